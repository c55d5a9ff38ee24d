import { postgresPlace } from '../read-model-storage/postgres-place.js';
import { readModelStorageContract } from '../read-model-storage.contract.js';

readModelStorageContract('in Postgres', postgresPlace);
