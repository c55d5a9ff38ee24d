import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Brings `dist` up to date with the sources. */
export const build = async (): Promise<void> => {
  await promisify(execFile)('npm', ['run', '-s', 'build']);
};
