import { goingDown } from './going-down.js';
import { EVENTSTOREDB_POSTGRES_AND_S3, OUTAGES_OF_READ_MODELS } from './outages.js';

goingDown(EVENTSTOREDB_POSTGRES_AND_S3, OUTAGES_OF_READ_MODELS);
