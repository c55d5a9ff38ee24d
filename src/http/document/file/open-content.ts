import type { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import type { StoredFile } from '../../../domain/document/events.js';
import type { StoreUnavailable } from '../../../event-sourcing/event-store.js';
import type { FileFault, OnFileFault } from '../../../read/file-fault.js';
import type { ByteRange, FileContents, OpenFailure } from '../../../read/get-file.js';
import { UNCOUNTED_BYTES } from '../../budget/process-budget.js';
import type { ClientGone, EntityNotFound, FileDiffers, Overloaded } from '../../problem/failure.js';
import type { RequestState } from '../../request-context.js';
import { checkedStream } from './checked-stream.js';
import { exactly } from './exactly.js';
import { readChecked } from './read-checked.js';

/** Where files are opened, and who is told of one that is not as its event says. */
export type FileSource = {
  readonly open: FileContents['open'];
  readonly onFault: OnFileFault;
  /** Whether nothing is left of what a document said, its file included. */
  readonly isErased: (documentId: string) => Promise<E.Either<StoreUnavailable, boolean>>;
};

export type ContentFailure = OpenFailure | FileDiffers | ClientGone | Overloaded | EntityNotFound | StoreUnavailable;

/** A file of at most this many bytes is checked before the first of them is sent. */
const CHECKED_FIRST = 1024 * 1024;

type Reported = Pick<FileFault, 'kind' | 'reason'>;

/** What a failure says of the file; undefined when it says nothing of it. */
const faultIn = (failure: ContentFailure): Reported | undefined => {
  switch (failure._tag) {
    case 'FileMissing':
      return { kind: 'missing', reason: failure.reason };
    case 'FileTooShort':
    case 'FileDiffers':
      return { kind: 'different', reason: failure.reason };
    case 'FileUnavailable':
    case 'ClientGone':
    case 'Overloaded':
    case 'EntityNotFound':
    case 'StoreUnavailable':
      return undefined;
  }
};

/** A file that is missing because its document is erased is not lost: there is no such document any more. */
const unlessErased = async <A>(
  { isErased }: FileSource,
  documentId: string,
  opened: E.Either<ContentFailure, A>,
): Promise<E.Either<ContentFailure, A>> => {
  if (E.isRight(opened) || opened.left._tag !== 'FileMissing') return opened;
  const erased = await isErased(documentId);
  if (E.isLeft(erased)) return erased;
  return erased.right ? E.left({ _tag: 'EntityNotFound' }) : opened;
};

/** All of a short file is read for a range of it, too: part of it tells nothing about the part. */
const readShort = async (
  { open }: FileSource,
  state: RequestState,
  file: StoredFile,
  range: ByteRange | undefined,
): Promise<E.Either<ContentFailure, Buffer>> => {
  const isCounted = file.size > UNCOUNTED_BYTES;
  if (isCounted && !(await state.acquire('bytes', file.size))) return E.left({ _tag: 'Overloaded' });
  const opened = await open(file.key);
  if (E.isLeft(opened)) return opened;
  const whole = await readChecked(opened.right, file, state);
  return E.isLeft(whole) || range === undefined ? whole : E.right(whole.right.subarray(range.first, range.last + 1));
};

const openLarge = async (
  { open }: FileSource,
  file: StoredFile,
  range: ByteRange | undefined,
  report: (fault: Reported) => void,
): Promise<E.Either<ContentFailure, Readable>> => {
  const opened = await open(file.key, range);
  if (E.isLeft(opened)) return opened;
  return E.right(
    range === undefined
      ? checkedStream(opened.right, file, ({ reason }) => report({ kind: 'different', reason }))
      : exactly(opened.right, range.last - range.first + 1),
  );
};

/**
 * Opens the content of a document's file, or a range of it. A file of at most 1 MiB is read first: what this gives is
 * known to be what the event says, and its bytes are acquired. A larger one is checked while it is sent, and fails in
 * place of its last bytes; a range of it is not checked. `onFault` is told of a file that is missing or different.
 */
export const openContent =
  (source: FileSource) =>
  async (
    state: RequestState,
    documentId: string,
    file: StoredFile,
    range: ByteRange | undefined,
  ): Promise<E.Either<ContentFailure, Buffer | Readable>> => {
    const report = (fault: Reported): void => source.onFault({ ...fault, documentId, key: file.key });
    const isShort = file.size <= CHECKED_FIRST;
    const opened = await unlessErased<Buffer | Readable>(
      source,
      documentId,
      isShort ? await readShort(source, state, file, range) : await openLarge(source, file, range, report),
    );
    const fault = E.isLeft(opened) ? faultIn(opened.left) : undefined;
    if (fault !== undefined) report(fault);
    return opened;
  };
