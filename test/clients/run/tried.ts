import type { Cell } from './table.js';
import { LINES_TOLD } from './toolchain.js';

/** What an error says; of a program that failed, the first lines that it has written. */
export const messageOf = (error: unknown): string => {
  const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string };
  const lines = `${stdout}${stderr}`.trim().split('\n');
  return lines.join('') === '' ? message : lines.slice(0, LINES_TOLD).join('\n');
};

/** What came of what was tried: `cannot` of what it resolves with is why it was left out. */
export const cellOf = async (tried: () => Promise<{ readonly cannot: string } | undefined>): Promise<Cell> => {
  try {
    const left = await tried();
    return left === undefined ? { _tag: 'Ok' } : { _tag: 'LeftOut', why: left.cannot };
  } catch (error) {
    return { _tag: 'Failed', why: messageOf(error) };
  }
};
