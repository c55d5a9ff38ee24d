import { attempt, orThrow } from '../../../event-sourcing/attempt.js';
import {
  asStoreUnavailable,
  type Direction,
  type EventStore,
  type StreamRange,
  StreamTruncated,
} from '../../../event-sourcing/event-store.js';
import { FIRST_PAGE } from '../../../event-sourcing/first-page.js';
import type { Revision, StreamName } from '../../../event-sourcing/recorded-event.js';
import { type EventBytes, StreamPage } from '../../../event-sourcing/stream-page.js';
import { type Access, latestTry, readOnLeader } from '../connection/on-leader.js';
import { readPage } from './read-page.js';
import { streamRequest } from './read-request.js';
import { isUserEvent } from './read-response.js';

type PageLimits = { readonly events: number; readonly bytes: number };

const PAGE: PageLimits = { events: 500, bytes: 1024 * 1024 };

/**
 * A revision is missing when the stream was cut in the database (`$maxCount`, truncation, a soft delete). A fold of the
 * rest would be wrong, and nobody would notice.
 */
const failOnGap = (stream: StreamName, expected: Revision | undefined, found: Revision): void => {
  if (expected !== undefined && expected !== found)
    throw new StreamTruncated(`${stream} is damaged: revision ${expected.toString()} is missing`);
};

/** The revision that follows `events`, which must begin at `expected` and have no gap. */
const revisionAfter = (
  events: ReadonlyArray<Pick<EventBytes, 'revision'>>,
  stream: StreamName,
  direction: Direction,
  expected: Revision | undefined,
): Revision | undefined =>
  events.reduce<Revision | undefined>((next, { revision }) => {
    failOnGap(stream, next, revision);
    return direction === 'forwards' ? revision + 1n : revision - 1n;
  }, expected);

/**
 * Pages of one stream, each a read of its own: between two pages nothing is held. Forwards, the first revision must be
 * the one asked for; backwards it is not known beforehand.
 */
export const makeReadStream = (access: Access) =>
  async function* readStream(
    stream: StreamName,
    { direction, from, limit = Infinity, until, startsSmall = false }: StreamRange,
  ): AsyncGenerator<StreamPage> {
    let page: PageLimits = startsSmall ? FIRST_PAGE : PAGE;
    let next = direction === 'forwards' ? (from ?? 0n) : undefined;
    let left = limit;
    let givenUpAt = until;
    for (let isMore = true; isMore && left > 0;) {
      const count = Math.min(left, page.events);
      const { bytes: largest } = page;
      const request = streamRequest(stream, direction, next ?? from, count);
      const read = await readOnLeader(
        access,
        (node, timeout) => readPage(node, request, timeout, { largest, until: givenUpAt }),
        latestTry(access, givenUpAt),
      );
      givenUpAt = undefined;
      page = PAGE;
      const { events, isCut } = orThrow(read);
      next = revisionAfter(events, stream, direction, next);
      left -= events.length;
      const isAtFirst = direction === 'backwards' && next === -1n;
      isMore = (isCut || events.length === count) && !isAtFirst;
      if (direction === 'backwards' && !isMore && left > 0 && events.length > 0) failOnGap(stream, next, -1n);
      const userEvents = events.filter(isUserEvent);
      if (userEvents.length > 0) yield new StreamPage(userEvents, !isMore || left <= 0);
    }
  };

/** The newest event that the database itself did not write ends the stream. */
export const makeNewestRevision =
  (access: Access): EventStore['newestRevision'] =>
  (stream, until = Infinity) =>
    attempt(async () => {
      for await (const { bytes } of makeReadStream(access)(stream, { direction: 'backwards', limit: 1, until }))
        return bytes[0]?.revision ?? 'no-stream';
      return 'no-stream';
    }, asStoreUnavailable);
