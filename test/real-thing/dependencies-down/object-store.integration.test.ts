import { goingDown } from './going-down.js';
import { EVENTSTOREDB_POSTGRES_AND_S3, OUTAGES_OF_OBJECT_STORE } from './outages.js';

goingDown(EVENTSTOREDB_POSTGRES_AND_S3, OUTAGES_OF_OBJECT_STORE);
