import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
// reason: the flag above makes this function
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that are still in use when the work is done. */
export const heapTakenBy = async (work: () => void | Promise<void>): Promise<number> => {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  await work();
  collectGarbage();
  return process.memoryUsage().heapUsed - before;
};
