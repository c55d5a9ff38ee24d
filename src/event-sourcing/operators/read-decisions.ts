import { objectIn } from '../canonical-json.js';
import { Metadata } from '../envelope.js';
import type { EventStore } from '../event-store.js';
import { type ChainEnd, chainStart } from '../hash-chain.js';
import { readNewestEvent } from '../read-event.js';
import type { StoredEvent, StreamName } from '../recorded-event.js';
import { type DecisionEvent, SEAL_STREAM } from './decision-events.js';
import { UnreadableDecision } from './unreadable-decision.js';

type StreamReader = Pick<EventStore, 'readStream'>;

/** The decisions of these types about how the log is sealed, the oldest first. Throws `StoreUnavailable`. */
export async function* readSealDecisions(
  store: StreamReader,
  ...types: ReadonlyArray<DecisionEvent['type']>
): AsyncGenerator<StoredEvent, void> {
  for await (const page of store.readStream(SEAL_STREAM, { direction: 'forwards' }))
    for (const event of page) if (types.some((type) => type === event.type)) yield event;
}

/** Where the next event of a stream goes, and when the last one was; absent before the first. */
type StreamEnd = ChainEnd & { readonly lastAt?: string };

/** Where the next decision goes. Throws `StoreUnavailable`, and `UnreadableDecision` where the last one has no envelope. */
export const endOfDecisions = async (store: StreamReader, stream: StreamName): Promise<StreamEnd> => {
  const last = await readNewestEvent(store, stream);
  if (last === undefined) return chainStart;
  const metadata = objectIn(last.metadata);
  if (!Metadata.is(metadata)) throw new UnreadableDecision(last);
  return { revision: last.revision + 1n, hash: metadata.hash, lastAt: metadata.at };
};
