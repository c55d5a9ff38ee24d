import { orThrow } from '../../../event-sourcing/attempt.js';
import type { EventStore, Truncated } from '../../../event-sourcing/event-store.js';
import { categoryOf, type StoredEvent, type StreamName } from '../../../event-sourcing/recorded-event.js';
import { type Access, readOnLeader } from '../connection/on-leader.js';
import { type LogRead, readAcrossCalls } from './read-log.js';
import { readPage } from './read-page.js';
import { streamRequest, typesRequest } from './read-request.js';

/** Of the records by which EventStoreDB deletes a stream for good, and by which it deletes, shortens or restores one. */
const DELETED = '$streamDeleted';
const SETTINGS = '$metadata';
const TYPES: ReadonlyArray<string> = [DELETED, SETTINGS];

/** The settings of a stream are in a stream whose name begins so. */
const SETTINGS_OF = '$$';

/** The stream that such a record is about. */
const streamOf = ({ type, stream }: StoredEvent): StreamName =>
  // reason: behind the prefix comes the name of a stream
  type === SETTINGS ? (stream.slice(SETTINGS_OF.length) as StreamName) : stream;

const firstShown = async (access: Access, stream: StreamName): Promise<Truncated> => {
  const request = streamRequest(stream, 'forwards', undefined, 1);
  const { events } = orThrow(await readOnLeader(access, (node, timeout) => readPage(node, request, timeout)));
  return { stream, first: events[0]?.revision };
};

/** Of streams that never had an event, it also gives those that have settings. */
export const makeReadTruncations = (
  access: Access,
  categories: ReadonlyArray<string>,
): NonNullable<EventStore['readTruncations']> =>
  async function* readTruncations({ after }) {
    const signal = access.connection.closed;
    const read: LogRead = {
      after,
      request: (from) => typesRequest(from, TYPES),
      isWanted: ({ type }) => TYPES.includes(type),
      categories,
      isBounded: true,
      signal,
    };
    for await (const { events, checkpoint } of readAcrossCalls(access, read, access.timings.timeout)) {
      const truncated: Array<Truncated> = [];
      // what holds now, not what the record asked for: a later one may have taken that back
      for (const stream of new Set(events.map(streamOf)))
        if (categories.includes(categoryOf(stream))) truncated.push(await firstShown(access, stream));
      yield { truncated: truncated.filter(({ first }) => first !== 0n), checkpoint };
    }
  };
