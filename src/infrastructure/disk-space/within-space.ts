import { either as E } from 'fp-ts';
import type { ObjectStorage } from '../../application/ports.js';
import { appendBytes } from '../../event-sourcing/append-limits.js';
import { type EventStore, StoreUnavailable } from '../../event-sourcing/event-store.js';
import { DiskFull, type DiskSpace } from './disk-space.js';

const tell = <Failure, A>(space: DiskSpace, outcome: E.Either<Failure, A>): E.Either<Failure, A> => {
  if (E.isLeft(outcome)) space.failed(outcome.left);
  else space.succeeded();
  return outcome;
};

/**
 * A log that takes nothing while its disk has no space to spare, so that whoever keeps it can go on answering: a
 * Postgres that runs out of space in the middle of a write ends, and its reads with it.
 */
export const appendWithinSpace = (store: EventStore, space: DiskSpace): EventStore => ({
  ...store,
  append: async (stream, expected, events) =>
    space.admits(appendBytes(events))
      ? tell(space, await store.append(stream, expected, events))
      : E.left(new StoreUnavailable('the event log has no space to spare', new DiskFull())),
});

/** The chunks of a file as long as the disk has space to spare for them; throws `DiskFull`. */
export async function* chunksWithinSpace(
  chunks: AsyncIterable<Uint8Array>,
  space: DiskSpace,
): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of chunks) {
    if (!space.admits(chunk.length)) throw new DiskFull();
    yield chunk;
  }
}

/** The same way of storing a file, which tells what comes of it. */
export const putWithinSpace =
  (put: ObjectStorage['put'], space: DiskSpace): ObjectStorage['put'] =>
  async (key, body) =>
    tell(space, await put(key, body));
