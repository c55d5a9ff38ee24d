import { readdir } from 'node:fs/promises';

/** How many files and sockets this process has open. Windows has no such list. */
export const openHandles = async (): Promise<number> => (await readdir('/dev/fd')).length;
