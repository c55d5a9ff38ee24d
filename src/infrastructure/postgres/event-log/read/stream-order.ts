import type { Readable } from 'node:stream';

import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { attempt } from '../../../../event-sourcing/attempt.js';
import { StoreUnavailable, type ByStream, type KeyRange } from '../../../../event-sourcing/event-store.js';
import type { Position, StoredEvent, StreamName } from '../../../../event-sourcing/recorded-event.js';
import { COPIED_COLUMNS, makeCopiedEvents } from './copied-events.js';
import { IN_LOG } from './queries.js';
import type { Cancel, Clock } from '../../../../event-sourcing/clock.js';

/** Events in the sample by which the log is divided. */
const SAMPLE = 20_000;
/** A server that sends nothing for so long while it is waited for counts as gone; ms. */
const SILENCE = 30_000;

const unavailable = (cause: unknown): StoreUnavailable =>
  new StoreUnavailable('the event log did not answer a read by stream', cause);

/** Names that begin with `category-`, and no others: '.' follows '-' in the order of bytes. */
const firstOf = (category: string): string => `${category}-`;
const endOf = (category: string): string => `${category}.`;

const SAMPLED = `
  select stream from event_log.event tablesample system ($1)
  where stream >= $2 and stream < $3 order by stream`;

const divide = async (pool: pg.Pool, category: string, events: number): Promise<ReadonlyArray<KeyRange>> => {
  const { rows: heads } = await pool.query<{ position: string }>('select position from event_log.head');
  // positions have almost no gaps, so the head is about the number of events
  const length = Math.max(1, Number(heads[0]?.position ?? 0));
  const percent = Math.min(100, (100 * SAMPLE) / length);
  const { rows } = await pool.query<{ stream: StreamName }>(SAMPLED, [percent, firstOf(category), endOf(category)]);
  const sampledEach = Math.max(1, Math.floor((events * percent) / 100));
  const bounds = [...new Set(rows.filter((_, i) => i > 0 && i % sampledEach === 0).map(({ stream }) => stream))];
  return [null, ...bounds].map((from, i) => ({ category, from, before: bounds[i] ?? null }));
};

// COPY takes no parameters
const copyOf = ({ category, from, before }: KeyRange, upTo: Position): string => `
  copy (
    select ${COPIED_COLUMNS} from event_log.event
    where stream >= ${pg.escapeLiteral(from ?? firstOf(category))} and stream < ${pg.escapeLiteral(before ?? endOf(category))}
      and ${IN_LOG} and position <= ${upTo.toString()}
    order by stream, revision
  ) to stdout (format binary)`;

/** Fails the copy when nothing comes for too long. Set each time that the copy is waited for. */
const awaiting = (clock: Clock, copy: Readable): Cancel =>
  clock.after(SILENCE, () => void copy.destroy(new Error(`nothing came for ${SILENCE} ms`)));

async function* read(
  clock: Clock,
  copies: pg.Pool,
  range: KeyRange,
  upTo: Position,
): AsyncGenerator<ReadonlyArray<StoredEvent>> {
  const client = await copies.connect().catch((cause: unknown) => Promise.reject(unavailable(cause)));
  const copy = client.query(copyTo(copyOf(range, upTo)));
  const eventsOf = makeCopiedEvents();
  let cancel = awaiting(clock, copy);
  let isWhole = false;
  try {
    // reason: without an encoding it gives Buffers
    for await (const chunk of copy as AsyncIterable<Buffer>) {
      cancel();
      const events = eventsOf(chunk);
      if (events.length > 0) yield events;
      cancel = awaiting(clock, copy);
    }
    isWhole = true;
  } catch (cause) {
    throw unavailable(cause);
  } finally {
    cancel();
    // closing the connection is the only way to end a copy early
    client.release(!isWhole);
  }
}

/**
 * Reads by the index on stream and revision. Each read holds a connection of `copies` until it ends; queries of that
 * pool must have no time limit.
 */
export const makeStreamOrder = (clock: Clock, readers: pg.Pool, copies: pg.Pool): ByStream => ({
  divide: (category, events) => attempt(() => divide(readers, category, events), unavailable),
  read: (range, upTo) => read(clock, copies, range, upTo),
});
