import { either as E } from 'fp-ts';
import { type AppendFailure, asStoreUnavailable, type EventStore } from '../../event-sourcing/event-store.js';
import type { Position } from '../../event-sourcing/recorded-event.js';
import type { Append, LogTarget } from '../../event-sourcing/whole-log/log-target.js';
import { callBatchAppend } from './batch-append-call.js';
import type { Access } from './on-leader.js';

/** Appends under way at once. */
const WINDOW = 128;

const outOfOrder = ({ stream }: Append): AppendFailure => ({
  _tag: 'AppendRejected',
  reason: `EventStoreDB has stored ${stream} before what came before it: the target is no copy any more, begin with an empty one`,
});

/**
 * Each appended, or found to be there, with its position. What a batch did not confirm is repeated alone, which tells
 * what became of it.
 */
const settle = async (
  append: EventStore['append'],
  appends: ReadonlyArray<Append>,
  confirmed: ReadonlyArray<Position | undefined>,
  reached: Position,
): Promise<E.Either<AppendFailure, Position>> => {
  let last = reached;
  for (const [index, each] of appends.entries()) {
    const known = confirmed[index];
    const settled = known === undefined ? await append(each.stream, each.expected, each.events) : undefined;
    if (settled !== undefined && E.isLeft(settled)) return settled;
    const position = known ?? settled?.right.position ?? last;
    if (position <= last) return E.left(outOfOrder(each));
    last = position;
  }
  return E.right(last);
};

/**
 * The first one alone, so that the rest does not come to a server that is not ready, then many at a time over a call
 * that keeps their order. That the order was kept is checked by the positions all the same.
 */
export const makeAppendInOrder =
  ({ connection, timings }: Access, append: EventStore['append']): LogTarget['appendInOrder'] =>
  async (appends) => {
    try {
      let reached = await settle(append, appends.slice(0, 1), [], -1n);
      for (let start = 1; start < appends.length && E.isRight(reached); start += WINDOW) {
        const window = appends.slice(start, start + WINDOW);
        const confirmed = await callBatchAppend(await connection.node(), window, timings.silence);
        reached = await settle(append, window, confirmed, reached.right);
      }
      return E.map(() => undefined)(reached);
    } catch (failure) {
      return E.left(asStoreUnavailable(failure));
    }
  };
