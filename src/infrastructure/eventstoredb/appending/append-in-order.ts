import { either as E } from 'fp-ts';
import type { AppendFailure, EventStore } from '../../../event-sourcing/event-store.js';
import type { Position } from '../../../event-sourcing/recorded-event.js';
import type { Append, LogTarget } from '../../../event-sourcing/whole-log/log-target.js';
import type { Access } from '../connection/on-leader.js';
import { CallFailed } from '../connection/call-failed.js';
import type { Node } from '../connection/node.js';
import { callAppend } from './append-stream.js';

/** Appends under way at once. */
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
  acknowledged: ReadonlyArray<Position | undefined>,
  before: Position,
): Promise<E.Either<AppendFailure, Position>> => {
  let last = before;
  for (const [index, each] of appends.entries()) {
    let position = acknowledged[index];
    if (position === undefined) {
      const appended = await append(each.stream, each.expected, each.events);
      if (E.isLeft(appended)) return appended;
      ({ position } = appended.right);
    }
    if (position <= last) return E.left(outOfOrder(each));
    last = position;
  }
  return E.right(last);
};

/** Undefined when the outcome is unknown or a conflict; then the call is over, so that nothing else is stored before it. */
const acknowledgedPosition = async (
  node: Node,
  append: Append,
  timeout: number,
  discard: (failure: CallFailed) => void,
): Promise<Position | undefined> => {
  try {
    const response = await callAppend(node, append, timeout);
    if (response._tag === 'Stored') return response.position;
    discard(new CallFailed('not-executed', `EventStoreDB holds other events of ${append.stream}`));
  } catch (failure) {
    discard(failure instanceof CallFailed ? failure : new CallFailed('outcome-unknown', String(failure)));
  }
  return undefined;
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
      const discard = (failure: CallFailed): void => connection.discard(node.right, failure);
      const acknowledged = await Promise.all(
        batch.map((each) => acknowledgedPosition(node.right, each, timings.idleTimeout, discard)),
      );
      reached = await lastPosition(append, batch, acknowledged, reached.right);
    }
    return E.map(() => undefined)(reached);
  };
