import { either as E } from 'fp-ts';
import type { ObjectStorage } from '../../application/ports.js';
import { appendBytes } from '../../event-sourcing/append-limits.js';
import { type EventStore, StoreUnavailable } from '../../event-sourcing/event-store.js';
import { DiskFull, type DiskSpace } from './disk-space.js';

const reportTo = <Failure, A>(space: DiskSpace, outcome: E.Either<Failure, A>): E.Either<Failure, A> => {
  if (E.isLeft(outcome)) space.failed(outcome.left);
  else space.succeeded();
  return outcome;
};

/**
 * An event store that appends nothing while its disk is down to the reserve, so that its reads go on: a Postgres that
 * runs out of space in the middle of a write ends.
 */
export const appendWithinSpace = (store: EventStore, space: DiskSpace): EventStore => ({
  ...store,
  append: async (stream, expected, events, ...options) =>
    space.admits(appendBytes(events))
      ? reportTo(space, await store.append(stream, expected, events, ...options))
      : E.left(new StoreUnavailable('nothing is appended to the event log: its disk is nearly full', new DiskFull())),
});

/** The chunks of a file for as long as the disk has space for them. Throws `DiskFull` when it is down to the reserve. */
export async function* chunksWithinSpace(
  chunks: AsyncIterable<Uint8Array>,
  space: DiskSpace,
): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of chunks) {
    if (!space.admits(chunk.length)) throw new DiskFull();
    yield chunk;
  }
}

/** A `put` that reports its outcomes to `space`. */
export const putWithinSpace =
  (put: ObjectStorage['put'], space: DiskSpace): ObjectStorage['put'] =>
  async (key, body) =>
    reportTo(space, await put(key, body));
