import { startEmbeddedStack } from '../../../support/composed-stack.js';
import { httpContract } from '../http.contract.js';

httpContract('Postgres and disk', startEmbeddedStack);
