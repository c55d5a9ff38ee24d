import type { Random } from '../../../src/event-sourcing/random.js';
import type { Projection } from '../../projection.js';
import type { StoredRows } from '../storage.js';

/** Events of the ledger that are looked through at once for records that have no row. */
const EVENTS_AT_ONCE = 2_000;

/** How far a round has come: first the rows of a read model, by id, then the records that the ledger knows, by index. */
type Place =
  | { readonly of: number; readonly among: 'rows'; readonly after: string | undefined }
  | { readonly of: number; readonly among: 'ledger'; readonly after: bigint };

type DriftRounds = {
  /** The read model whose records come next. */
  readonly current: () => Projection;
  /** The records that come next, at most so many of them; none where nothing is to be compared in this part. */
  readonly next: (rows: StoredRows, limit: number) => Promise<ReadonlyArray<string>>;
  /** Leaves out the rest of the current read model. */
  readonly skip: () => void;
  /** How many rounds are over. */
  readonly ended: () => number;
};

/**
 * Goes round all records of the read models again and again: the rows there are, beginning at a random one, and the records
 * that the ledger has and that have no row.
 */
export const makeDriftRounds = (
  random: Random,
  projections: ReadonlyArray<Projection>,
  ledger: string,
): DriftRounds => {
  let place: Place = { of: 0, among: 'rows', after: undefined };
  let hasBegun = false;
  let waiting: ReadonlyArray<string> = [];
  let ended = 0;

  const current = (): Projection => {
    const projection = projections[place.of % projections.length];
    if (projection === undefined) throw new Error('there is no read model to compare');
    return projection;
  };
  const skip = (): void => {
    place = { of: (place.of + 1) % projections.length, among: 'rows', after: undefined };
    waiting = [];
    if (place.of === 0) ended += 1;
  };

  /** Moves on before anything is compared: what cannot be read must not hold up the others. */
  const find: DriftRounds['next'] = async (rows, limit) => {
    if (place.among === 'rows') {
      // an id that is drawn would not do: those of the rows begin with the time at which they were made
      const after = hasBegun ? place.after : await rows.idBehind(random.fraction());
      hasBegun = true;
      const ids = await rows.idsAfter(after, limit);
      const last = ids.at(-1);
      place = last === undefined ? { of: place.of, among: 'ledger', after: -1n } : { ...place, after: last };
      return ids;
    }
    const { ids, last } = await rows.missing(ledger, place.after, EVENTS_AT_ONCE);
    if (last === undefined) skip();
    else place = { ...place, after: last };
    return ids;
  };

  return {
    current,
    skip,
    ended: () => ended,
    next: async (rows, limit) => {
      if (waiting.length === 0) waiting = await find(rows, limit);
      const ids = waiting.slice(0, limit);
      waiting = waiting.slice(limit);
      return ids;
    },
  };
};
