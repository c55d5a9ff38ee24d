import type { FeedPart } from '../../read/ledger-feed.js';
import type { LedgerEntry } from '../../read/ledger.js';
import { withIndex } from '../../read/ledger-json.js';

export const EVENT_STREAM = 'text/event-stream';

/** JSON has no line break outside of its texts, and none in them. */
const message = (entry: LedgerEntry): string => `id: ${entry.index}\ndata: ${withIndex(entry)}\n\n`;

/** Who has the same filter is given the same list, so it is rendered once, and its bytes are held once. */
const rendered = new WeakMap<ReadonlyArray<LedgerEntry>, Buffer>();

const messages = (entries: ReadonlyArray<LedgerEntry>): Buffer => {
  const known = rendered.get(entries);
  if (known !== undefined) return known;
  const bytes = Buffer.from(entries.map(message).join(''));
  rendered.set(entries, bytes);
  return bytes;
};

const HEARTBEAT = Buffer.from(': heartbeat\n\n');

/** A part of a feed as Server-Sent Events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export const renderPart = (part: FeedPart): Buffer => {
  switch (part._tag) {
    case 'Events':
      return messages(part.entries);
    case 'CaughtUp':
      return Buffer.from(`event: caught-up\ndata: {"index":${part.index === -1n ? 'null' : part.index}}\n\n`);
    case 'Quiet':
      return HEARTBEAT;
  }
};
