import { memoryPlace } from '../read-model-storage/memory-place.js';
import { readModelStorageContract } from '../read-model-storage.contract.js';

readModelStorageContract('in memory', () => Promise.resolve(memoryPlace()));
