import type { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import { type ExpectedContent, FileCheck, type FileDifference } from '../../../read/file-check.js';
import type { OpenFailure } from '../../../read/get-file.js';
import type { ClientGone, FileDiffers } from '../../problem/failure.js';
import type { RequestState } from '../../request-context.js';

const differs = ({ reason }: FileDifference): E.Either<FileDiffers, never> => E.left({ _tag: 'FileDiffers', reason });

/** Reads a file into memory, each piece of it in a time slice of its own, and checks it. */
export const readChecked = async (
  body: Readable,
  expected: ExpectedContent,
  state: Pick<RequestState, 'timeSlice'>,
): Promise<E.Either<FileDiffers | OpenFailure | ClientGone, Buffer>> => {
  const check = new FileCheck(expected);
  const content = Buffer.allocUnsafe(expected.size);
  let length = 0;
  try {
    // reason: a file is a byte stream; Readable itself is typed for objects too
    for await (const piece of body as AsyncIterable<Buffer>) {
      if (!(await state.timeSlice(piece.length))) return E.left({ _tag: 'ClientGone' });
      const difference = check.add(piece);
      if (difference !== undefined) return differs(difference);
      content.set(piece, length);
      length += piece.length;
    }
  } catch (cause) {
    return E.left({ _tag: 'FileUnavailable', cause });
  }
  const difference = check.end();
  return difference === undefined ? E.right(content) : differs(difference);
};
