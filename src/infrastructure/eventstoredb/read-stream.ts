import {
  asStoreUnavailable,
  type Direction,
  StoreUnavailable,
  type StreamRange,
} from '../../event-sourcing/event-store.js';
import type { Revision, StoredEvent, StreamName } from '../../event-sourcing/recorded-event.js';
import { type Access, onLeader } from './on-leader.js';
import { readPage } from './read-page.js';
import { streamRead } from './read-request.js';
import { isOurs } from './stored-event.js';

const PAGE = 500;

const step = (direction: Direction): bigint => (direction === 'forwards' ? 1n : -1n);

/**
 * Somebody has cut the stream in the database (`$maxCount`, truncation, a soft delete): what is left is no history,
 * and a fold of it would be wrong without anybody noticing.
 */
const refuseGap = (stream: StreamName, expected: Revision | undefined, found: Revision): void => {
  if (expected !== undefined && expected !== found)
    throw new StoreUnavailable(`${stream} is damaged: revision ${expected.toString()} is missing`);
};

/** Checks that `events` continue at `expected`, and gives the revision that must follow them. */
const follow = (
  stream: StreamName,
  direction: Direction,
  expected: Revision | undefined,
  events: ReadonlyArray<StoredEvent>,
): Revision | undefined =>
  events.reduce<Revision | undefined>((next, { revision }) => {
    refuseGap(stream, next, revision);
    return revision + step(direction);
  }, expected);

/**
 * Pages of one stream, each a read of its own: between two pages nothing is held. Backwards the first revision is
 * not known beforehand; forwards a read must begin where it was asked to.
 */
export const makeReadStream = (access: Access) =>
  async function* readStream(
    stream: StreamName,
    { direction, from, limit = Infinity }: StreamRange,
  ): AsyncGenerator<ReadonlyArray<StoredEvent>> {
    let next = direction === 'forwards' ? (from ?? 0n) : undefined;
    let left = limit;
    for (let isMore = true; isMore && left > 0;) {
      const count = Math.min(left, PAGE);
      const start = next ?? from;
      const { events, isCut } = await onLeader(access, (node, silence) =>
        readPage(node, streamRead(stream, direction, start, count), silence),
      ).catch((failure: unknown) => {
        throw asStoreUnavailable(failure);
      });
      next = follow(stream, direction, next, events);
      left -= events.length;
      const isAtFirst = direction === 'backwards' && next === -1n;
      isMore = (isCut || events.length === count) && !isAtFirst;
      if (direction === 'backwards' && !isMore && left > 0 && events.length > 0) refuseGap(stream, next, -1n);
      const ours = events.filter(isOurs);
      if (ours.length > 0) yield ours;
    }
  };
