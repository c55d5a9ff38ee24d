/** What may be done of long work in one turn of the event loop: so many bytes of streamed answers, or one larger piece. */
const TURN_BYTES = 256 * 1024;

/** Turns in a row that long work may have to miss because of connections that come. */
const MAX_MISSED = 8;

type Waiting = { readonly bytes: number; readonly begin: () => void };

const waiting: Array<Waiting> = [];
let newcomers: Array<() => void> = [];
/** Bytes that may still be worked on in this turn. */
let left = TURN_BYTES;
let hasArrived = false;
let missed = 0;
let isWatching = false;

const letNewcomersBegin = (): void => {
  const begun = newcomers;
  newcomers = [];
  for (const begin of begun) begin();
};

const beginTurn = (): void => {
  missed = hasArrived && missed < MAX_MISSED ? missed + 1 : 0;
  hasArrived = false;
  left = missed > 0 ? 0 : TURN_BYTES;
  if (missed === 0) letNewcomersBegin();
  while (left > 0) {
    const next = waiting.shift();
    if (next === undefined) break;
    left -= next.bytes;
    next.begin();
  }
  isWatching = left < TURN_BYTES;
  if (isWatching) setImmediate(beginTurn);
};

const watch = (): void => {
  if (isWatching) return;
  isWatching = true;
  setImmediate(beginTurn);
};

/** To be called with every connection that comes. */
export const noteArrival = (): void => {
  hasArrived = true;
  watch();
};

/**
 * To be awaited before a request on a new connection begins: while connections come turn after turn, it begins together
 * with others when they pause, or after eight turns. So they are accepted first, and it is known which have been reset.
 */
export const crowdSeen = (): Promise<void> => {
  const isCrowded = missed > 1 || (missed === 1 && hasArrived);
  return isCrowded ? new Promise((begin) => newcomers.push(begin)) : Promise.resolve();
};

/**
 * To be awaited before each piece of work that takes long: a page of events that is folded, a part of a stream that is
 * sent. `bytes` says how large the piece is; without it, it takes a whole turn. Pieces begin in the order in which they
 * were asked for.
 *
 * Node accepts one connection in each turn of its event loop. If every reader of a history had a page folded in one turn,
 * whoever came behind some hundred other connections would wait for a minute to be let in; so there is little long work in
 * a turn, and next to none while connections come.
 */
export const loopTurn = (bytes = TURN_BYTES): Promise<void> => {
  if (left <= 0 || hasArrived) return new Promise((begin) => waiting.push({ bytes, begin }));
  left -= bytes;
  watch();
  return Promise.resolve();
};
