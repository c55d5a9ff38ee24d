/**
 * Writers and a subscriber on a real EventStoreDB while it is broken and mended, and what became of every event.
 *
 *   EVENTSTOREDB_URL='esdb://127.0.0.1:2113?tls=false' \
 *   EVENTSTOREDB_BREAK='docker kill log' EVENTSTOREDB_MEND='docker start log' \
 *     npx tsx test/real/eventstoredb-faults.ts
 *
 * Also: WRITERS (32), QUIET_MS before the break (3000), BROKEN_MS between break and mend (3000), AFTER_MS (10000).
 * Prints one JSON object; exits 1 when an acknowledged event is lost or doubled, or an error escaped.
 */
import { exec } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { either as E } from 'fp-ts';
import type { Appended } from '../../src/event-sourcing/event-store.js';
import type { NewEvent, StoredEvent, StreamName } from '../../src/event-sourcing/recorded-event.js';
import { openEventStoreDb } from '../../src/infrastructure/eventstoredb/event-store.js';
import type { EventStoreDb } from '../../src/infrastructure/eventstoredb/options.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

const WRITERS = number('WRITERS', 32);
const QUIET_MS = number('QUIET_MS', 3_000);
const BROKEN_MS = number('BROKEN_MS', 3_000);
const AFTER_MS = number('AFTER_MS', 10_000);
/** Events of one stream before its writer begins another. */
const STREAM_LENGTH = 20;

type Acknowledged = { readonly id: string; readonly stream: StreamName; readonly at: Appended; readonly time: number };

type Run = {
  readonly store: EventStoreDb;
  readonly category: string;
  readonly acknowledged: Array<Acknowledged>;
  readonly failures: Map<string, number>;
  readonly longest: { ms: number };
  readonly isOver: () => boolean;
};

const count = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);

const newEvent = (): NewEvent => ({
  id: randomUUID(),
  type: 'Probed',
  data: JSON.stringify({ text: 'x'.repeat(400) }),
  metadata: '{"actor":"probe"}',
});

/** As a client with an idempotency key: the same event at the same place until the answer is known, or all is over. */
const appendUntilKnown = async (run: Run, stream: StreamName, revision: number): Promise<void> => {
  const event = newEvent();
  const start = performance.now();
  for (;;) {
    const outcome = await run.store.append(stream, revision === 0 ? 'no-stream' : BigInt(revision - 1), [event]);
    const time = performance.now();
    run.longest.ms = Math.max(run.longest.ms, time - start);
    if (E.isRight(outcome)) return void run.acknowledged.push({ id: event.id, stream, at: outcome.right, time });
    count(run.failures, outcome.left._tag);
    if (outcome.left._tag !== 'StoreUnavailable' || run.isOver()) return;
    await delay(50);
  }
};

const write = async (run: Run): Promise<void> => {
  while (!run.isOver()) {
    const stream: StreamName = `${run.category}-${randomUUID()}`;
    for (let revision = 0; revision < STREAM_LENGTH && !run.isOver(); revision++)
      await appendUntilKnown(run, stream, revision);
  }
};

/** The longest time without any acknowledgement, and when it was over. */
const longestSilence = (times: ReadonlyArray<number>): { readonly ms: number; readonly until: string } => {
  let longest = { ms: 0, until: 0 };
  for (const [index, until] of times.entries()) {
    const ms = until - (times[index - 1] ?? until);
    if (ms > longest.ms) longest = { ms, until };
  }
  return { ms: Math.round(longest.ms), until: new Date(performance.timeOrigin + longest.until).toISOString() };
};

const repeated = (ids: ReadonlyArray<string>): number => ids.length - new Set(ids).size;

const isKept = (stored: ReadonlyMap<string, StoredEvent>, { id, stream, at }: Acknowledged): boolean => {
  const event = stored.get(id);
  return event?.stream === stream && event.revision === at.revision && event.position === at.position;
};

/** The whole log of this run, read when all is over. */
const readBack = async ({ store, category }: Run): Promise<ReadonlyArray<StoredEvent>> => {
  const events: Array<StoredEvent> = [];
  for await (const batch of store.readAll({ after: 'start', categories: [category] })) events.push(...batch.events);
  return events;
};

const report = async (run: Run, seen: ReadonlyArray<string>, connectionEvents: ReadonlyMap<string, number>) => {
  const log = await readBack(run);
  const stored = new Map(log.map((event) => [event.id, event]));
  const ids = log.map(({ id }) => id);
  return {
    acknowledged: run.acknowledged.length,
    lost: run.acknowledged.filter((append) => !isKept(stored, append)).length,
    doubled: repeated(ids),
    longestSilence: longestSilence(run.acknowledged.map(({ time }) => time)),
    longestAppendMs: Math.round(run.longest.ms),
    failures: Object.fromEntries(run.failures),
    subscriber: { seen: seen.length, isSameAsLog: seen.join() === ids.join() },
    connectionEvents: Object.fromEntries(connectionEvents),
  };
};

const shell = async (command: string | undefined): Promise<void> => {
  if (command !== undefined) await promisify(exec)(command);
};

/** Pulls until asked to stop, and then until it has seen as much as the log holds. */
const subscribe = (run: Run) => {
  const leaving = new AbortController();
  const seen: Array<string> = [];
  const ended = (async () => {
    for await (const { events } of run.store.subscribe({ after: 'start', categories: [run.category] }, leaving.signal))
      seen.push(...events.map(({ id }) => id));
  })();
  const finish = async (): Promise<void> => {
    const end = performance.now() + 20_000;
    while (seen.length < run.acknowledged.length && performance.now() < end) await delay(20);
    leaving.abort();
    await ended;
  };
  return { seen, finish };
};

const main = async (): Promise<void> => {
  const escaped: Array<unknown> = [];
  process.on('unhandledRejection', (error) => escaped.push(error));
  process.on('uncaughtException', (error) => escaped.push(error));
  const connectionEvents = new Map<string, number>();
  const category = `probe${randomUUID().replaceAll('-', '')}`;
  const opened = openEventStoreDb({
    runtime: systemRuntime,
    connectionString: process.env['EVENTSTOREDB_URL'] ?? 'esdb://127.0.0.1:2113?tls=false',
    categories: [category],
    onConnectionEvent: ({ kind }) => count(connectionEvents, kind),
  });
  if (E.isLeft(opened)) throw opened.left;
  let isOver = false;
  const run: Run = {
    store: opened.right,
    category,
    acknowledged: [],
    failures: new Map(),
    longest: { ms: 0 },
    isOver: () => isOver,
  };

  const { seen, finish } = subscribe(run);
  const writers = Promise.all(Array.from({ length: WRITERS }, () => write(run)));
  try {
    await delay(QUIET_MS);
    await shell(process.env['EVENTSTOREDB_BREAK']);
    await delay(BROKEN_MS);
    await shell(process.env['EVENTSTOREDB_MEND']);
    await delay(AFTER_MS);
  } finally {
    isOver = true;
    await writers;
  }
  await finish();

  const result = { ...(await report(run, seen, connectionEvents)), escaped: escaped.map(String) };
  console.log(JSON.stringify(result, undefined, 2));
  await run.store.close();
  process.exitCode = result.lost + result.doubled + escaped.length > 0 || !result.subscriber.isSameAsLog ? 1 : 0;
};

await main();
