import { either as E } from 'fp-ts';
import { makeBoundedCache } from '../bounded-cache.js';
import { type BegunErasure, begunErasuresFrom } from '../erasure/erasure-decisions.js';
import { covers, type ErasedEvents, erasureIn, saysErased } from '../erasure/erased-events.js';
import { readInParts } from '../erasure/read-in-parts.js';
import type { EventKeys } from '../event-key.js';
import { macStatusOf } from '../event-mac.js';
import type { EventStore } from '../event-store.js';
import { extendChain, lacksData, statedEnd } from '../hash-chain.js';
import { findMacRequired } from '../operators/require-mac.js';
import type { Position, Revision, StoredEvent, StreamName } from '../recorded-event.js';

/** Streams of which the erasures are remembered: at most twice as many. */
const REMEMBERED = 10_000;
const SPAN_BYTES = 64;

/** Revisions of a stream, both inclusive, that are erased; `by`: that of the event that says so. */
type Span = { readonly first: number; readonly last: number; readonly by: number };

/** The erasures of a stream, as far as it was read. */
type InStream = { readonly spans: ReadonlyArray<Span>; readonly next: Revision };

const NOTHING_READ: InStream = { spans: [], next: 0n };

/**
 * What a decision says of a stream; it is about the events before it in the log. The key of a whole record is that of what is
 * appended after it, too, by whoever still has it: until the stream says that all is erased.
 */
type Begun = { readonly events: ErasedEvents; readonly position: Position };

const spansOf = (event: StoredEvent): ReadonlyArray<Span> => {
  const said = erasureIn(event);
  const by = Number(event.revision);
  if (said === undefined) return [];
  if (said.events === 'all') return [{ first: 0, last: by - 1, by }];
  return said.events.map(([first, last]) => ({ first, last: Math.min(last, by - 1), by }));
};

const isIn = (spans: ReadonlyArray<Span>, revision: number): boolean =>
  spans.some(({ first, last }) => first <= revision && revision <= last);

/** The first revision from this one on that is in none of them. */
const firstBeside = (spans: ReadonlyArray<Span>, from: number): number => {
  let free = from;
  for (;;) {
    const over = spans.find(({ first, last }) => first <= free && free <= last);
    if (over === undefined) return free;
    free = over.last + 1;
  }
};

/** Whether the stream says of all these events that they are erased. */
const isDone = (spans: ReadonlyArray<Span>, events: ErasedEvents): boolean =>
  events === 'all'
    ? spans.some(({ first, last, by }) => first === 0 && last === by - 1)
    : events.every(([first, last]) => firstBeside(spans, first) > last);

/** Whether an erasure names an event: one that is recorded in its stream (`Erased`), or one that was begun (`BeingErased`). */
export type ErasureState = 'Erased' | 'BeingErased' | 'NotErased';

/** Tells which events of a log are erased, and by which of its events, while they pass by. */
type Erasures = {
  /** As of now, whether or not the event can still be read: whoever remembers its key can for a while. */
  readonly stateOf: (event: StoredEvent) => Promise<ErasureState>;
  /** Of the next events, those that lack their data. */
  readonly lackingIn: (events: ReadonlyArray<StoredEvent>) => Promise<ReadonlyMap<StoredEvent, ErasureState>>;
  /** Whether an event says that others of its stream are erased, and counts. */
  readonly isErasure: (event: StoredEvent) => boolean;
  /** What can be read all the same of what an erasure names, and none before it did. */
  readonly readableOf: (erasure: StoredEvent) => AsyncGenerator<StoredEvent, void>;
  /** Those that were begun, and whose records do not all say that they are erased; of one stream, or of all. */
  readonly unfinished: (of?: StreamName) => AsyncGenerator<BegunErasure, void>;
};

/**
 * An erasure counts when it says what was sealed and has a `mac` of one of the keys, as a decision of operators does
 * (`countsAsDecision`); without a `mac`, where a decision that some events may have none stands behind it, or where there are no
 * keys. What stands further on in a stream is looked up, so that memory grows with the number of erasures alone: by what was
 * begun, and by those of the streams that were met last. Throws `StoreUnavailable`, as all of its members do.
 */
export const followErasures = async (store: Pick<EventStore, 'readStream'>, keys: EventKeys): Promise<Erasures> => {
  const required = (await findMacRequired(store, keys))?.event.position;
  const mayLackMac = ({ position }: StoredEvent): boolean =>
    required === undefined ? keys.length === 0 : position < required;

  const isErasure = (event: StoredEvent): boolean => {
    if (spansOf(event).length === 0) return false;
    const status = macStatusOf(keys, event);
    const isOurs = status === 'Fits' || status === 'NotChecked' || (status === 'None' && mayLackMac(event));
    return isOurs && E.isRight(extendChain(statedEnd(event), event));
  };

  const known = makeBoundedCache<StreamName, InStream>(REMEMBERED, ({ spans }) => SPAN_BYTES * (1 + spans.length));
  const readOn = async (stream: StreamName): Promise<InStream> => {
    const before = known.get(stream) ?? NOTHING_READ;
    const spans = [...before.spans];
    let { next } = before;
    for await (const event of readInParts(store, stream, next)) {
      if (isErasure(event)) spans.push(...spansOf(event));
      next = event.revision + 1n;
    }
    known.set(stream, { spans, next });
    return { spans, next };
  };

  const begun = new Map<string, ReadonlyArray<Begun>>();
  let nextBegun = 0n;
  const readBegunOn = async (): Promise<void> => {
    for await (const { event, revision, position } of begunErasuresFrom(store, keys, nextBegun)) {
      for (const { stream, events } of event.data.records)
        begun.set(stream, [...(begun.get(stream) ?? []), { events, position }]);
      nextBegun = revision + 1n;
    }
  };
  const isBegun = ({ stream, revision, position }: StoredEvent): boolean => {
    const isReached = (one: Begun): boolean =>
      position < one.position || (one.events === 'all' && !isDone(known.get(stream)?.spans ?? [], 'all'));
    return begun.get(stream)?.some((one) => isReached(one) && covers(one.events, revision + 1n, revision)) === true;
  };

  /** Those of these events that no erasure in their streams names. */
  const besideErasures = async (events: ReadonlyArray<StoredEvent>): Promise<ReadonlyArray<StoredEvent>> => {
    const beside: Array<StoredEvent> = [];
    /** Read once for all of them. */
    const read = new Map<StreamName, InStream>();
    for (const event of events) {
      const { stream } = event;
      const isNamed = (inStream: InStream | undefined): boolean =>
        inStream !== undefined && !saysErased(event) && isIn(inStream.spans, Number(event.revision));
      if (isNamed(read.get(stream) ?? known.get(stream))) continue;
      if (!read.has(stream)) read.set(stream, await readOn(stream));
      if (!isNamed(read.get(stream))) beside.push(event);
    }
    return beside;
  };

  const statesOf = async (events: ReadonlyArray<StoredEvent>): Promise<ReadonlyArray<[StoredEvent, ErasureState]>> => {
    const beside = new Set(await besideErasures(events));
    if (beside.size > 0) await readBegunOn();
    return events.map((event) => {
      if (!beside.has(event)) return [event, 'Erased'];
      return [event, saysErased(event) || !isBegun(event) ? 'NotErased' : 'BeingErased'];
    });
  };

  return {
    isErasure,
    stateOf: async (event) => (await statesOf([event]))[0]?.[1] ?? 'NotErased',
    lackingIn: async (events) => new Map(await statesOf(events.filter(lacksData))),
    readableOf: async function* (erasure) {
      const own = spansOf(erasure);
      const before = (await readOn(erasure.stream)).spans.filter(({ by }) => by < Number(erasure.revision));
      const first = firstBeside(before, Math.min(...own.map((span) => span.first)));
      const last = Math.max(...own.map((span) => span.last));
      if (!(first <= last)) return;
      for await (const event of readInParts(store, erasure.stream, BigInt(first))) {
        const revision = Number(event.revision);
        if (revision > last) return;
        const isNew = isIn(own, revision) && !isIn(before, revision);
        if (isNew && !saysErased(event) && !lacksData(event)) yield event;
      }
    },
    unfinished: async function* (of) {
      for await (const one of begunErasuresFrom(store, keys, 0n))
        for (const { stream, events } of one.event.data.records) {
          if (of !== undefined && stream !== of) continue;
          // reason: whoever has recorded it has read that stream
          if (isDone((await readOn(stream as StreamName)).spans, events)) continue;
          yield one;
          break;
        }
    },
  };
};
