import { either as E } from 'fp-ts';
import type { ExitCode } from './exit-code.js';
import { failed } from './output.js';

/** Closes what was opened when `use` has ended; ends with 1, and says why, where it was not opened. */
export const withOpened = async <Opened extends { readonly close: () => Promise<void> }>(
  opened: E.Either<{ readonly message: string }, Opened>,
  use: (opened: Opened) => Promise<ExitCode>,
): Promise<ExitCode> => {
  if (E.isLeft(opened)) return failed(opened.left.message);
  try {
    return await use(opened.right);
  } finally {
    await opened.right.close();
  }
};
