import { byteStringOf } from '../../src/event-sourcing/byte-string.js';
import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { StreamPage } from '../../src/event-sourcing/stream-page.js';

/** A page that a store could have sent. */
export const pageOf = (events: ReadonlyArray<StoredEvent>, isLast = false): StreamPage =>
  new StreamPage(
    events.map((event) => ({
      ...event,
      data: byteStringOf(event.data),
      metadata: byteStringOf(event.metadata),
      dataSize: Buffer.byteLength(event.data),
      metadataSize: Buffer.byteLength(event.metadata),
      isAscii: false,
    })),
    isLast,
  );
