import { readdir } from 'node:fs/promises';
import { eventually } from './eventually.js';

/** How many files and sockets this process has open. Windows has no such list. */
export const openHandles = async (): Promise<number> => (await readdir('/dev/fd')).length;

/** How many there are, as soon as there are so few: the system closes them in its own time. */
export const handlesAtMost = (most: number): Promise<number> =>
  // polls: the system tells nobody
  eventually(openHandles, (open) => open <= most);
