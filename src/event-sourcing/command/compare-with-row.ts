import { either as E } from 'fp-ts';
import { findAhead, isAhead } from '../ahead.js';
import type { EventStore, StoreUnavailable } from '../event-store.js';
import type { ExpectedRevision, Revision, StreamName } from '../recorded-event.js';
import type { HistoryCut, ShownRows } from './shown-rows.js';

type Compared = { readonly store: Pick<EventStore, 'newestRevision'>; readonly rows: ShownRows };

/**
 * Fails with `HistoryCut` when the row shows more than the stream, which was just read up to `read`. The row may have been
 * read after the stream, which may have grown in between: then the stream is asked once more.
 */
export const compareWithRow = async (
  { store, rows }: Compared,
  stream: StreamName,
  read: ExpectedRevision,
  shown: Revision | undefined,
  until: number,
): Promise<E.Either<HistoryCut | StoreUnavailable, void>> => {
  if (shown === undefined || !isAhead({ shown, newest: read })) return E.right(undefined);
  const ahead = await findAhead(store, stream, shown, until);
  if (E.isLeft(ahead)) return ahead;
  if (ahead.right === undefined) return E.right(undefined);
  const cut: HistoryCut = { _tag: 'HistoryCut', stream, ...ahead.right };
  rows.onCut(cut);
  return E.left(cut);
};
