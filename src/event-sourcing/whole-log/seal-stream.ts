import { Metadata } from '../envelope.js';
import type { EventStore } from '../event-store.js';
import { type ChainEnd, chainStart } from '../hash-chain.js';
import type { StoredEvent, StreamName } from '../recorded-event.js';

/** The stream of the operators' decisions about how the whole log is sealed. */
export const SEAL_STREAM: StreamName = 'operations-seal';

type StreamReader = Pick<EventStore, 'readStream'>;

/** The decisions of one type, the oldest first. Throws `StoreUnavailable`. */
export async function* sealDecisions(store: StreamReader, type: string): AsyncGenerator<StoredEvent, void> {
  for await (const page of store.readStream(SEAL_STREAM, { direction: 'forwards' }))
    for (const event of page) if (event.type === type) yield event;
}

/** Where the next decision goes. Throws `StoreUnavailable`. */
export const endOfSealStream = async (store: StreamReader): Promise<ChainEnd> => {
  for await (const [last] of store.readStream(SEAL_STREAM, { direction: 'backwards', limit: 1 })) {
    if (last === undefined) continue;
    const metadata: unknown = JSON.parse(last.metadata);
    if (!Metadata.is(metadata)) throw new Error(`event ${last.id} of ${SEAL_STREAM} has no envelope`);
    return { revision: last.revision + 1n, hash: metadata.hash };
  }
  return chainStart;
};
