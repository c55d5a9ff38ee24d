import { asStoreUnavailable } from '../../event-sourcing/event-store.js';
import { pause } from '../../event-sourcing/pause.js';
import { CallFailed } from './call-failed.js';
import type { Connection } from './connection.js';
import type { OnConnectionEvent } from '../../event-sourcing/connection-event.js';
import type { Node } from './node.js';
import { pauseOf, type Timings } from './timings.js';

/** What every part of the adapter works with. */
export type Access = {
  readonly connection: Connection;
  readonly timings: Timings;
  readonly onConnectionEvent: OnConnectionEvent;
};

/** How long a call that begins now may be silent, so that its caller has an answer in time. */
export const silenceUntil = (until: number, { silence, grace }: Timings): number =>
  Math.min(silence, Math.max(grace, until - performance.now()));

/**
 * A call without effect, repeated on a renewed connection while `patience` lasts; `call` is told how long it may be
 * silent. Rejects with `StoreUnavailable`, or with a `CallFailed` that says something about what was asked for
 * (`stream-gone`, `invalid-position`).
 */
export const onLeader = async <A>(
  { connection, timings, onConnectionEvent }: Access,
  call: (node: Node, silence: number) => Promise<A>,
  until: number = performance.now() + timings.patience,
): Promise<A> => {
  for (let round = 0; ; round++) {
    const node = await connection.node(until);
    try {
      return await call(node, silenceUntil(until, timings));
    } catch (failure) {
      if (!(failure instanceof CallFailed)) throw failure;
      if (failure.isPassing) connection.giveUp(node, failure);
      else if (failure.kind === 'stream-gone' || failure.kind === 'invalid-position') throw failure;
      const ms = pauseOf(timings, round);
      if (!failure.isPassing || performance.now() + ms > until) throw asStoreUnavailable(failure);
      onConnectionEvent({ kind: 'read-repeated', cause: failure });
      await pause(ms, connection.closed);
    }
  }
};
