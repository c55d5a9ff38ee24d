import { either as E } from 'fp-ts';
import { categoriesOf, registry } from '../../../src/entities/registry.js';
import type { Append } from '../../../src/event-sourcing/whole-log/log-target.js';
import { openEventStoreDb } from '../../../src/infrastructure/eventstoredb/event-store.js';
import { type BenchFact, type OpenStream, sealNext } from '../sealed-log.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const AT_ONCE = 1_000;

/** Appends these events to EventStoreDB, in this order. */
export const fillEventStoreDb = async (
  connectionString: string,
  events: Iterable<readonly [stream: OpenStream, fact: BenchFact]>,
): Promise<void> => {
  const opened = openEventStoreDb({ runtime: systemRuntime, connectionString, categories: categoriesOf(registry) });
  if (E.isLeft(opened)) throw opened.left;
  const { appendInOrder, close } = opened.right;
  let appends: Array<Append> = [];
  const flush = async (): Promise<void> => {
    const appended = await appendInOrder(appends);
    if (E.isLeft(appended)) throw new Error(`EventStoreDB could not be filled: ${JSON.stringify(appended.left)}`);
    appends = [];
  };
  try {
    for (const [stream, fact] of events) {
      const { revision, ...event } = sealNext(stream, fact);
      appends.push({ stream: stream.name, expected: revision === 0n ? 'no-stream' : revision - 1n, events: [event] });
      if (appends.length === AT_ONCE) await flush();
    }
    await flush();
  } finally {
    await close();
  }
};
