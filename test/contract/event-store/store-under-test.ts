import { randomUUID } from 'node:crypto';
import { either as E } from 'fp-ts';
import type { Appended, AppendFailure, EventStore, LogBatch } from '../../../src/event-sourcing/event-store.js';
import type {
  ExpectedRevision,
  NewEvent,
  StoredEvent,
  StreamName,
} from '../../../src/event-sourcing/recorded-event.js';

/** What the groups of the suite share: the store that is being tested, once it has been made. */
export type StoreUnderTest = () => EventStore;

/** Times of `Clock.monotonic`: before all that a process can name, and after. */
export const [OVER, FAR] = [-1, Number.MAX_SAFE_INTEGER];

/** A category that no other test uses: the log may be shared and may hold other events. */
export const aCategory = (): string => `c${randomUUID().replaceAll('-', '')}`;

export const aStream = (category = 'business'): StreamName => `${category}-${randomUUID()}`;

/** Its texts are canonical JSON: the form that every store gives back byte for byte. */
export const anEvent = (over: Partial<NewEvent> = {}): NewEvent => ({
  id: randomUUID(),
  type: 'NoteTaken',
  data: '{"text":"a note"}',
  // with a salt, as `seal` writes it: without one nothing is encrypted
  metadata: '{"actor":"alice","salt":"czXwAAAAAAAAAAAAAAAAAA","schemaVersion":1}',
  ...over,
});

type Events = readonly [NewEvent, ...ReadonlyArray<NewEvent>];

export const someEvents = (count: number): Events => [anEvent(), ...Array.from({ length: count - 1 }, () => anEvent())];

export const append = (
  store: EventStore,
  stream: StreamName,
  expected: ExpectedRevision,
  ...events: Events
): Promise<E.Either<AppendFailure, Appended>> => store.append(stream, expected, events);

/** For arranging: throws when the append fails. */
export const appended = async (
  store: EventStore,
  stream: StreamName,
  expected: ExpectedRevision,
  ...events: Events
): Promise<Appended> => {
  const outcome = await append(store, stream, expected, ...events);
  if (E.isLeft(outcome)) throw new Error(`append failed: ${outcome.left._tag}`, { cause: outcome.left });
  return outcome.right;
};

export const collect = async <A>(pages: AsyncIterable<Iterable<A>>): Promise<Array<A>> => {
  const all: Array<A> = [];
  for await (const page of pages) all.push(...page);
  return all;
};

export const batchesOf = async (batches: AsyncIterable<LogBatch>): Promise<Array<LogBatch>> => {
  const all: Array<LogBatch> = [];
  for await (const batch of batches) all.push(batch);
  return all;
};

export const eventsOf = (batches: ReadonlyArray<LogBatch>): Array<StoredEvent> =>
  batches.flatMap(({ events }) => events);

/** Batches up to the one that fulfils `isEnough`, then the source is left. */
export const batchesUntil = async (
  batches: AsyncIterable<LogBatch>,
  isEnough: (events: ReadonlyArray<StoredEvent>, batch: LogBatch) => boolean,
): Promise<Array<LogBatch>> => {
  const all: Array<LogBatch> = [];
  const events: Array<StoredEvent> = [];
  for await (const batch of batches) {
    all.push(batch);
    events.push(...batch.events);
    if (isEnough(events, batch)) break;
  }
  return all;
};
