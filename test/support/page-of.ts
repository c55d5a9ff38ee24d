import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { StreamPage } from '../../src/event-sourcing/stream-page.js';

/** A page that a store could have sent. */
export const pageOf = (events: ReadonlyArray<StoredEvent>): StreamPage =>
  new StreamPage(
    events.map((event) => ({ ...event, data: Buffer.from(event.data), metadata: Buffer.from(event.metadata) })),
  );
