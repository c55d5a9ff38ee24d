import { either as E } from 'fp-ts';
import { answerDeadline } from '../event-sourcing/answer-deadline.js';
import type { Clock } from '../event-sourcing/clock.js';
import { type ByteString, textOf } from '../event-sourcing/byte-string.js';
import { type EventStore, StoreUnavailable } from '../event-sourcing/event-store.js';
import { entityIdOf, type Revision, type StreamName } from '../event-sourcing/recorded-event.js';
import { type EventBytes, sizeOf } from '../event-sourcing/stream-page.js';
import { type AdmitPage, PageNotAdmitted } from './admit-page.js';
import { type EventReads, type EventsRequest, failureOf, nothing } from './entity-events.js';
import type { EventDiffs } from './event-diffs.js';
import type { RenderEvents } from './event-view.js';
import { readAhead } from './read-ahead.js';

/** Revisions, both inclusive. */
export type Span = { readonly first: Revision; readonly last: Revision };

/** The events that were asked for; without any, it ends before it begins. */
const spanOf = ({ direction, from, limit }: EventsRequest, newest: Revision): Span => {
  const others = limit === undefined ? newest : BigInt(limit) - 1n;
  if (direction === 'forwards') {
    const first = from ?? 0n;
    return { first, last: first + others < newest ? first + others : newest };
  }
  const last = from === undefined || from > newest ? newest : from;
  return { first: others < last ? last - others : 0n, last };
};

/** Events that are held together, in bytes too unless it is only one: enough for a read to be worth its while. */
const BLOCK = { events: 100, bytes: 512 * 1024 };

/** Parts into which a longer span is divided, at most. The state before each of them is held. */
const PARTS = 32;

/** How many events there are in each part of a span but the last. */
const partLength = ({ first, last }: Span): bigint => {
  const events = Number(last - first) + 1;
  return BigInt(Math.max(events > BLOCK.events ? BLOCK.events : 1, Math.ceil(events / PARTS)));
};

type Diffed = { readonly events: ReadonlyArray<EventBytes>; readonly diffs: ReadonlyArray<string> };

/** What one answer is read by. */
type Reading<State> = EventDiffs<State> & {
  readonly id: string;
  /** Events of the stream, oldest first, in pages that are admitted. */
  readonly pages: (span: Span) => AsyncIterable<ReadonlyArray<EventBytes>>;
};

async function* oldestFirst<State>(reading: Reading<State>, { first, last }: Span): AsyncGenerator<Diffed> {
  const { id, pages, initialState, stateAfter, diffsOf } = reading;
  let state = initialState;
  for await (const page of pages({ first: 0n, last })) {
    const events = page.filter(({ revision }) => revision >= first);
    const before = stateAfter(page.slice(0, page.length - events.length), state);
    const { diffs, after } = diffsOf(id, events, before);
    state = after;
    if (events.length > 0) yield { events, diffs };
  }
}

/** The events of a span that can be held; undefined where they are too many, or too large. */
const block = async <State>({ pages }: Reading<State>, span: Span): Promise<ReadonlyArray<EventBytes> | undefined> => {
  if (span.last - span.first >= BLOCK.events) return undefined;
  const events: Array<EventBytes> = [];
  for await (const page of pages(span)) {
    events.push(...page);
    if (sizeOf(events) > BLOCK.bytes && span.last > span.first) return undefined;
  }
  return events;
};

type Part<State> = { readonly first: Revision; readonly before: State };

/** Where the parts of a span begin, and the states before them. */
const parts = async <State>(
  { pages, stateAfter }: Reading<State>,
  { first, last }: Span,
  before: State,
): Promise<ReadonlyArray<Part<State>>> => {
  const length = partLength({ first, last });
  const found = [{ first, before }];
  const beginsLast = first + ((last - first) / length) * length;
  let state = before;
  for await (const page of pages({ first, last: beginsLast - 1n }))
    for (const event of page) {
      state = stateAfter([event], state);
      const begins = event.revision + 1n;
      if ((begins - first) % length === 0n) found.push({ first: begins, before: state });
    }
  if (found.at(-1)?.first !== beginsLast) throw new StoreUnavailable('the stream has lost events while it was read');
  return found;
};

/**
 * A change is known only from the state before it, so a span is folded forwards to tell it backwards. One that is too long
 * to be held is folded to its parts, and then each of these, the last one first: the number of times that an event is read
 * grows with the logarithm of the span's length, and what is held does not grow with more than that.
 */
async function* newestFirst<State>(reading: Reading<State>, span: Span, before: State): AsyncGenerator<Diffed> {
  const events = await block(reading, span);
  if (events !== undefined) {
    const { diffs } = reading.diffsOf(reading.id, events, before);
    yield { events: events.toReversed(), diffs: diffs.toReversed() };
    return;
  }
  let { last } = span;
  for (const part of (await parts(reading, span, before)).toReversed()) {
    yield* newestFirst(reading, { first: part.first, last }, part.before);
    last = part.first - 1n;
  }
}

async function* diffed<State>(
  reading: Reading<State>,
  span: Span,
  direction: EventsRequest['direction'],
): AsyncGenerator<Diffed> {
  if (direction === 'forwards') {
    yield* oldestFirst(reading, span);
    return;
  }
  let before = reading.initialState;
  for await (const page of reading.pages({ first: 0n, last: span.first - 1n }))
    before = reading.stateAfter(page, before);
  yield* newestFirst(reading, span, before);
}

/** The events of a span that are read by one answer, each page of them when it is admitted. */
const pagesOf = (
  clock: Clock,
  { readStream }: Pick<EventStore, 'readStream'>,
  stream: StreamName,
  admitPage: AdmitPage,
): Reading<unknown>['pages'] => {
  // nothing is answered before the first read; later ones have the time that the store gives them
  let deadline: { readonly until?: number } = { until: answerDeadline(clock) };
  return async function* pages({ first, last }) {
    if (first > last) return;
    const range = { direction: 'forwards', from: first, limit: Number(last - first) + 1, ...deadline } as const;
    deadline = {};
    for await (const { bytes } of readStream(stream, range)) {
      if (!(await admitPage())) throw new PageNotAdmitted();
      yield bytes;
    }
  };
};

/** What an event changed, as a JSON text. */
export type Change = { readonly revision: Revision; readonly diff: string };

/** What the events of a span changed, in the direction. Throws `StoreUnavailable` and `UndecodableEventError`. */
type ReadChanges = (
  stream: StreamName,
  span: Span,
  direction: EventsRequest['direction'],
  admitPage: AdmitPage,
) => AsyncGenerator<Change>;

/** Reads what events changed, by themselves; as `makeDiffedReads` does, in its time and memory. */
export const makeReadChanges = <State>(
  clock: Clock,
  store: Pick<EventStore, 'readStream'>,
  diffs: EventDiffs<State>,
): ReadChanges =>
  async function* (stream, span, direction, admitPage) {
    const reading = { ...diffs, id: entityIdOf(stream), pages: pagesOf(clock, store, stream, admitPage) };
    for await (const { events, diffs: texts } of diffed(reading, span, direction))
      for (const [at, { revision }] of events.entries()) {
        const text = (texts[at] ?? '[]') as ByteString; // reason: that is how diffs are given
        yield { revision, diff: textOf(text) };
      }
  };

type DiffedReads<State> = {
  readonly clock: Clock;
  readonly store: Pick<EventStore, 'readStream'>;
  readonly newestRevision: EventReads['newestRevision'];
  readonly render: RenderEvents;
  readonly diffs: EventDiffs<State>;
};

/**
 * Reads events of a stream together with what each of them changed. For that, all that lies before them is folded as well.
 * It takes the memory of a page and of some states, whatever the length of the stream, in both directions.
 */
export const makeDiffedReads = <State>({
  clock,
  store,
  newestRevision,
  render,
  diffs,
}: DiffedReads<State>): EventReads['events'] => {
  async function* rendered(source: AsyncGenerator<Diffed>, proof: boolean): AsyncGenerator<Buffer, void, undefined> {
    let before = '[';
    for await (const { events, diffs: texts } of source) {
      yield render(events, proof, before, '', texts);
      before = ',';
    }
    yield Buffer.from(before === '[' ? '[]' : ']');
  }

  return async (stream, request, admission, known) => {
    const pages = pagesOf(clock, store, stream, admission.page);
    const newest = known === undefined ? await newestRevision(stream) : E.right(known);
    if (E.isLeft(newest)) return newest;
    const span = spanOf(request, newest.right);
    if (span.first > span.last) return E.right({ newest: newest.right, body: nothing });
    try {
      if (!(await admission.more())) throw new PageNotAdmitted();
      const reading = { ...diffs, id: entityIdOf(stream), pages };
      const body = await readAhead(rendered(diffed(reading, span, request.direction), request.proof));
      return E.right({ newest: newest.right, body });
    } catch (thrown) {
      return E.left(failureOf(thrown));
    }
  };
};
