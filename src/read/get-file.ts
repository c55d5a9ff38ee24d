import type { Readable } from 'node:stream';
import { type either as E, option as O } from 'fp-ts';
import type { DocumentState } from '../domain/document/state.js';
import { attempt } from '../event-sourcing/attempt.js';
import { asStoreUnavailable, type EventStore, type StoreUnavailable } from '../event-sourcing/event-store.js';
import { isErased } from '../event-sourcing/hash-chain.js';
import { readEvent } from '../event-sourcing/read-event.js';
import { NAMES_FILES } from './named-file.js';
import type { DocumentQueries, FileVersion } from './queries.js';
import { type Folding, rowOrFold } from './row-or-fold.js';

/** First and last byte, inclusive, as in RFC 9110 §14. */
export type ByteRange = { readonly first: number; readonly last: number };

/** Object storage did not answer, or not in time: whether it has the object is not known. */
type FileUnavailable = { readonly _tag: 'FileUnavailable'; readonly cause: unknown };

/**
 * Object storage answered, and has no such object. A file is durable before an event names it, so that nothing explains
 * this but a loss.
 */
type FileMissing = { readonly _tag: 'FileMissing'; readonly reason: string };

/** The object ends before the range that was asked for. */
type FileTooShort = { readonly _tag: 'FileTooShort'; readonly reason: string };

export type OpenFailure = FileUnavailable | FileMissing | FileTooShort;

/** Where files are kept, seen from the reading side. */
export type FileContents = {
  /** Opened before it answers, so that a missing object is an error and no empty file; read at the caller's pace. */
  readonly open: (key: string, range?: ByteRange) => Promise<E.Either<OpenFailure, Readable>>;
};

type GetFileDeps = Folding<DocumentState> & { readonly queries: Pick<DocumentQueries, 'fileOf'> };

/** The file that a document has now or had earlier; `file` is null while it has none. None: no such document. */
export const makeGetFile = ({ queries, ...folding }: GetFileDeps) =>
  rowOrFold(folding, queries.fileOf, (_id, { state, revision }): O.Option<FileVersion> =>
    state._tag === 'Current' ? O.some({ file: state.file, revision }) : O.none,
  );

export type GetFile = ReturnType<typeof makeGetFile>;

/** Whether nothing is left of what a document said: its row may show it a while longer, when its files are gone. */
export const isDocumentErased = (
  store: Pick<EventStore, 'readStream'>,
  id: string,
): Promise<E.Either<StoreUnavailable, boolean>> =>
  attempt(async () => {
    const first = await readEvent(store, `${NAMES_FILES}-${id}`, 0n);
    return first !== undefined && isErased(first);
  }, asStoreUnavailable);
