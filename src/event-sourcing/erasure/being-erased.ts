import type { EventStore } from '../event-store.js';
import { isErased } from '../hash-chain.js';
import type { Position, StoredEvent, StreamName } from '../recorded-event.js';
import { covers, erasureIn } from './erased-events.js';

/**
 * Whether events of a stream up to a position have lost their data, and none up to there says so: they are being erased, and
 * who has folded them before still has what they said. Others may have destroyed their keys a moment ago. Throws
 * `StoreUnavailable`.
 */
export const isBeingErased = async (
  store: Pick<EventStore, 'readStream'>,
  stream: StreamName,
  upTo: Position,
): Promise<boolean> => {
  let unsaid: ReadonlyArray<StoredEvent> = [];
  for await (const page of store.readStream(stream, { direction: 'forwards', asksForKeys: true }))
    for (const event of page) {
      if (event.position > upTo) return unsaid.length > 0;
      const said = erasureIn(event)?.events;
      if (said !== undefined) unsaid = unsaid.filter(({ revision }) => !covers(said, event.revision, revision));
      else if (isErased(event)) unsaid = [...unsaid, event];
    }
  return unsaid.length > 0;
};
