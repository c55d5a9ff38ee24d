import type { Ahead } from '../ahead.js';
import type { Revision, StreamName } from '../recorded-event.js';

/** A row shows more events than its stream holds: the log was cut, and a command would be decided on the rest of it. */
export type HistoryCut = Ahead & { readonly _tag: 'HistoryCut'; readonly stream: StreamName };

/** What the read model shows, as evidence of events that were in the log. */
export type ShownRows = {
  /** The revision that the row of a stream's entity shows. Undefined: there is no row, or it cannot be read in time. */
  readonly revisionOf: (stream: StreamName) => Promise<Revision | undefined>;
  /** Called with each row that a command finds ahead of its stream. */
  readonly onCut: (cut: HistoryCut) => void;
};
