import { startMemoryStack } from '../../../support/memory-stack.js';
import { httpContract } from '../http.contract.js';

httpContract('in memory', startMemoryStack);
