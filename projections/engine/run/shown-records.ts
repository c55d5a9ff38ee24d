import type { Position } from '../../../src/event-sourcing/recorded-event.js';

/** So many records are kept one by one. */
const MOST = 10_000;

/**
 * Which records this process has shown from the log while their rows lagged: maybe with a change that is not answered yet, so
 * that no comparison with an earlier head of the log asks for it.
 */
type ShownRecords = {
  /** A record was shown with everything up to `position`. */
  readonly note: (id: string, position: Position) => void;
  /** Whether the rows may lack what was shown of a record. */
  readonly isAhead: (id: string) => boolean;
  /** Whether they may lack what was shown of any. */
  readonly isAnyAhead: () => boolean;
  /** The rows are of another log, or the log has lost events: what was shown need not come again. */
  readonly forget: () => void;
};

/** `reached`: the position up to which the rows are complete. When more than `most` records are ahead, all are. */
export const makeShownRecords = (reached: () => Position, most: number = MOST): ShownRecords => {
  const ofRecords = new Map<string, Position>();
  /** Of the records that are not kept one by one any more. */
  let ofAll: Position = -1n;

  const dropReached = (): void => {
    for (const [id, position] of ofRecords) if (position <= reached()) ofRecords.delete(id);
  };

  return {
    note: (id, position) => {
      if (position <= reached() || position <= (ofRecords.get(id) ?? -1n)) return;
      ofRecords.set(id, position);
      if (ofRecords.size <= most) return;
      dropReached();
      if (ofRecords.size <= most) return;
      for (const one of ofRecords.values()) if (one > ofAll) ofAll = one;
      ofRecords.clear();
    },
    isAhead: (id) => {
      const position = ofRecords.get(id);
      if (position !== undefined && position > reached()) return true;
      if (position !== undefined) ofRecords.delete(id);
      return ofAll > reached();
    },
    isAnyAhead: () => {
      dropReached();
      return ofRecords.size > 0 || ofAll > reached();
    },
    forget: () => {
      ofRecords.clear();
      ofAll = -1n;
    },
  };
};
