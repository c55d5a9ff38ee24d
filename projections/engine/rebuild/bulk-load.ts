import type { LogBatch, EventStore } from '../../../src/event-sourcing/event-store.js';
import type { Checkpoint, From, StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import type { DomainEvent } from '../../../src/event-sourcing/serde.js';
import { isUuid } from '../../../src/event-sourcing/uuid.js';
import { idsBornBefore } from '../apply-batch.js';
import { foldBatch, type Parking } from '../fold-batch.js';
import { tableOf } from '../instance/instance.js';
import { readEntities } from '../rows.js';
import { inTransaction } from '../schema.js';
import { Deposed } from '../instance/lease.js';
import { type Writer, writeStep } from '../write-batch.js';
import { park } from '../write-with-parking.js';
import { type EntityMemory, makeEntityMemory } from './entity-memory.js';
import { loadRows } from './load-rows.js';

/** What is folded in memory is written when it is so large, bytes; and so often, in events: a crash costs half a minute. */
const LARGEST = 150_000_000;
const MOST_EVENTS = 250_000;
const MOST_PARKINGS = 1_000;

type BulkLoad = {
  readonly upTo: Checkpoint;
  readonly signal: AbortSignal;
  /** Told after each page: events so far, and the share of what is to be folded. */
  readonly onProgress: (events: number, share: number) => void;
};

/** What was folded since the last writing. */
type Segment<State> = {
  readonly memory: EntityMemory<State>;
  readonly parkings: Array<Parking>;
  events: number;
  last: StoredEvent | undefined;
  to: Checkpoint | undefined;
};

const newSegment = <State, Event extends DomainEvent>({ projection }: Writer<State, Event>): Segment<State> => ({
  memory: makeEntityMemory<State>(projection),
  parkings: [],
  events: 0,
  last: undefined,
  to: undefined,
});

const isFull = <State>({ memory, parkings, events }: Segment<State>): boolean =>
  memory.bytes() >= LARGEST || events >= MOST_EVENTS || parkings.length >= MOST_PARKINGS;

const fold = async <State, Event extends DomainEvent>(
  { pool, projection, instance }: Writer<State, Event>,
  segment: Segment<State>,
  events: ReadonlyArray<StoredEvent>,
  isEmpty: boolean,
): Promise<void> => {
  const { memory, parkings } = segment;
  const missing = isEmpty ? [] : [...idsBornBefore(events)].filter((id) => memory.get(id) === undefined && isUuid(id));
  const rows = missing.length === 0 ? undefined : await readEntities(pool, tableOf(instance), projection, missing);
  const folded = foldBatch(projection, (id) => memory.get(id) ?? rows?.get(id), events);
  for (const entity of folded.entities) memory.set(entity);
  parkings.push(...folded.parkings);
  segment.events += events.length;
  segment.last = events.at(-1) ?? segment.last;
};

const write = <State, Event extends DomainEvent>(
  writer: Writer<State, Event>,
  { memory, parkings, last }: Segment<State>,
  from: From,
  to: Checkpoint,
): Promise<void> =>
  inTransaction(writer.pool, async (client) => {
    if ((await writeStep(client, writer, { from, to, last })) === undefined) throw new Deposed(writer.instance.name);
    await loadRows(client, writer, memory.all(), from === 'start');
    for (const parking of parkings) await park(client, writer, parking);
  });

const within = ({ events, checkpoint }: LogBatch, upTo: Checkpoint): LogBatch =>
  checkpoint.commit < upTo.commit
    ? { events, checkpoint }
    : { events: events.filter(({ position }) => position <= upTo.commit), checkpoint: upTo };

/**
 * Folds the log from the instance's checkpoint on in memory, many events at a time, and writes each entity once; every
 * writing moves the checkpoint with it. Answers where it ended: at `upTo`, or where `signal` stopped it. Rejects when the
 * database refuses a row: the ordinary path then finds out which.
 */
export const bulkLoad = async <State, Event extends DomainEvent>(
  writer: Writer<State, Event>,
  store: Pick<EventStore, 'readAll'>,
  from: From,
  { upTo, signal, onProgress }: BulkLoad,
): Promise<From> => {
  let stored = from;
  let segment = newSegment(writer);
  const start = from === 'start' ? 0n : from.commit;
  let events = 0;

  const flush = async (): Promise<void> => {
    if (segment.to === undefined || signal.aborted) return;
    await write(writer, segment, stored, segment.to);
    stored = segment.to;
    segment = newSegment(writer);
  };

  const range = { after: from, categories: [writer.projection.category] };
  if (from === 'start' || from.commit < upTo.commit)
    for await (const batch of store.readAll(range)) {
      const { events: own, checkpoint } = within(batch, upTo);
      await fold(writer, segment, own, stored === 'start');
      segment.to = checkpoint;
      events += own.length;
      onProgress(events, Number(checkpoint.commit - start) / Number(upTo.commit - start));
      if (isFull(segment)) await flush();
      if (signal.aborted || checkpoint === upTo) break;
    }
  await flush();
  return stored;
};
