import { asStoreUnavailable, CallFailed } from './call-failed.js';
import type { Connection } from './connection.js';
import type { OnIncident } from './incident.js';
import type { Node } from './node.js';
import { pauseOf, sleep, type Timings } from './timings.js';

/** What every part of the adapter works with. */
export type Access = {
  readonly connection: Connection;
  readonly timings: Timings;
  readonly onIncident: OnIncident;
};

/**
 * A call without effect, repeated on a renewed connection while `patience` lasts. Rejects with `StoreUnavailable`, or
 * with a `CallFailed` that says something about what was asked for (`stream-gone`, `invalid-position`).
 */
export const onLeader = async <A>(
  { connection, timings, onIncident }: Access,
  call: (node: Node) => Promise<A>,
): Promise<A> => {
  const until = performance.now() + timings.patience;
  for (let round = 0; ; round++) {
    const node = await connection.node();
    try {
      return await call(node);
    } catch (failure) {
      if (!(failure instanceof CallFailed)) throw failure;
      if (failure.isPassing) connection.giveUp(node, failure);
      else if (failure.kind === 'stream-gone' || failure.kind === 'invalid-position') throw failure;
      const pause = pauseOf(timings, round);
      if (!failure.isPassing || performance.now() + pause > until) throw asStoreUnavailable(failure);
      onIncident({ kind: 'read-repeated', cause: failure });
      await sleep(pause, connection.closed);
    }
  }
};
