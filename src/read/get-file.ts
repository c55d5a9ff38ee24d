import type { Readable } from 'node:stream';
import { either as E, option as O } from 'fp-ts';
import type { LoadFailure } from '../event-sourcing/for-each-event.js';
import type { DocumentState } from '../domain/document/state.js';
import type { AdmitPage } from './admit-page.js';
import type { Freshness } from './freshness.js';
import type { AsOf, History } from './history.js';
import type { DocumentQueries, FileVersion } from './queries.js';

/** First and last byte, inclusive, as in RFC 9110 §14. */
export type ByteRange = { readonly first: number; readonly last: number };

/** Object storage did not answer, or lacks an object that an event names. */
export type FileUnavailable = { readonly _tag: 'FileUnavailable'; readonly cause: unknown };

/** Where files are kept, seen from the reading side. */
export type FileContents = {
  /** Opened before it answers, so that a missing object is an error and no empty file; read at the caller's pace. */
  readonly open: (key: string, range?: ByteRange) => Promise<E.Either<FileUnavailable, Readable>>;
};

type GetFileDeps = {
  readonly queries: Pick<DocumentQueries, 'fileOf'>;
  readonly history: Pick<History<DocumentState>, 'stateAsOf'>;
  readonly freshness: Freshness;
};

export type GetFile = (
  documentId: string,
  asOf: AsOf,
  admitPage: AdmitPage,
) => Promise<E.Either<LoadFailure, O.Option<FileVersion>>>;

/** The file a document has now or had at a revision; `file` is null while it has none, none for no such document. */
export const makeGetFile =
  ({ queries, history, freshness }: GetFileDeps): GetFile =>
  async (documentId, asOf, admitPage) => {
    if (asOf._tag === 'Now' && !freshness.isBehind()) {
      const row = await queries.fileOf(documentId);
      if (E.isRight(row)) return row;
    }
    const then = await history.stateAsOf(documentId, asOf, admitPage);
    if (E.isLeft(then)) return then;
    return E.right(
      O.chain(({ state, revision }: { state: DocumentState; revision: bigint }): O.Option<FileVersion> =>
        state._tag === 'Current' ? O.some({ file: state.file, revision }) : O.none,
      )(then.right),
    );
  };
