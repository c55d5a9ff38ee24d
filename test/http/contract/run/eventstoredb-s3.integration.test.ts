import { startDistributedStack } from '../../../support/composed-stack.js';
import { httpContract } from '../http.contract.js';

httpContract('EventStoreDB, Postgres and S3', startDistributedStack);
