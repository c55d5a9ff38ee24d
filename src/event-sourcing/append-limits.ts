import type { AppendRejected } from './event-store.js';
import type { NewEvent } from './recorded-event.js';
import { isUuid } from './uuid.js';

/** EventStoreDB's limit on one append; every adapter keeps it, so that a log fits into every store. */
export const MAX_APPEND_BYTES = 1_048_576;

/** The size of an append as EventStoreDB counts it: texts in UTF-8, type names twice. */
export const appendBytes = (events: ReadonlyArray<NewEvent>): number =>
  events.reduce(
    (sum, { type, data, metadata }) => sum + Buffer.byteLength(data) + Buffer.byteLength(metadata) + 2 * type.length,
    0,
  );

const loneSurrogate = /\p{Surrogate}/u;

const fault = ({ id, type, data, metadata }: NewEvent): string | undefined => {
  if (!isUuid(id)) return `event id ${id} is no lower-case UUID`;
  // UTF-8 cannot encode half of a surrogate pair: the store would give back another text
  return [type, data, metadata].some((text) => loneSurrogate.test(text)) ? 'text is not valid Unicode' : undefined;
};

/** Why every store rejects these events; undefined when they are valid. `bytes` is their `appendBytes`. */
export const rejection = (events: ReadonlyArray<NewEvent>, bytes: number): AppendRejected | undefined => {
  const reason =
    bytes > MAX_APPEND_BYTES
      ? `${bytes} bytes in one append, at most ${MAX_APPEND_BYTES} are possible`
      : events.map(fault).find((found) => found !== undefined);
  return reason === undefined ? undefined : { _tag: 'AppendRejected', reason };
};
