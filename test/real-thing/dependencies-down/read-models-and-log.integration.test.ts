import { goingDown } from './going-down.js';
import { OUTAGES_OF_READ_MODELS_AND_LOG, PAUSE_OF_POSTGRES, POSTGRES_AND_DISK } from './outages.js';

goingDown(POSTGRES_AND_DISK, OUTAGES_OF_READ_MODELS_AND_LOG, PAUSE_OF_POSTGRES);
