import { either as E } from 'fp-ts';
import { attempt } from '../../../event-sourcing/attempt.js';
import { type AppendFailure, asStoreUnavailable, type EventStore } from '../../../event-sourcing/event-store.js';
import type { Position } from '../../../event-sourcing/recorded-event.js';
import type { Append, LogTarget } from '../../../event-sourcing/whole-log/log-target.js';
import type { Access } from '../connection/on-leader.js';
import { type BatchOutcome, callBatchAppend } from './batch-append-call.js';

/** Appends in one call. */
const BATCH = 128;

const outOfOrder = ({ stream }: Append): AppendFailure => ({
  _tag: 'AppendRejected',
  reason: `EventStoreDB has stored events of ${stream} out of order: the target is not a copy of the source. Copy into an empty log`,
});

/**
 * The position of the last of these appends. Each must have a higher one than the append before it, the first than
 * `before`. What has no acknowledged position is appended alone, which shows whether it had been stored.
 */
const lastPosition = async (
  append: EventStore['append'],
  appends: ReadonlyArray<Append>,
  acknowledged: ReadonlyArray<BatchOutcome>,
  before: Position,
): Promise<E.Either<AppendFailure, Position>> => {
  let last = before;
  for (const [index, each] of appends.entries()) {
    let position = acknowledged[index];
    if (typeof position !== 'bigint') {
      const appended = await append(each.stream, each.expected, each.events);
      if (E.isLeft(appended)) return appended;
      ({ position } = appended.right);
    }
    if (position <= last) return E.left(outOfOrder(each));
    last = position;
  }
  return E.right(last);
};

/**
 * Appends the first one alone, with its retries, so that the rest do not meet a server that is not ready; then many at a
 * time. The calls keep their order; that the server did as well is checked by the positions.
 */
export const makeAppendInOrder =
  ({ connection, timings }: Access, append: EventStore['append']): LogTarget['appendInOrder'] =>
  async (appends) => {
    let reached = await lastPosition(append, appends.slice(0, 1), [], -1n);
    for (let start = 1; start < appends.length && E.isRight(reached); start += BATCH) {
      const batch = appends.slice(start, start + BATCH);
      const node = await connection.node();
      if (E.isLeft(node)) return node;
      const acknowledged = await attempt(
        () => callBatchAppend(node.right, batch, { timeout: timings.idleTimeout, isSequence: true }),
        asStoreUnavailable,
      );
      if (E.isLeft(acknowledged)) return acknowledged;
      reached = await lastPosition(append, batch, acknowledged.right, reached.right);
    }
    return E.map(() => undefined)(reached);
  };
