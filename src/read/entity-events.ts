import { either as E } from 'fp-ts';
import { answerDeadline } from '../event-sourcing/answer-deadline.js';
import type { Clock } from '../event-sourcing/clock.js';
import {
  asStoreUnavailable,
  type EventStore,
  type StoreUnavailable,
  type StreamRange,
} from '../event-sourcing/event-store.js';
import type { LoadFailure } from '../event-sourcing/for-each-event.js';
import type { Revision, StreamName } from '../event-sourcing/recorded-event.js';
import { type EventBytes, sizeOf, type StreamPage } from '../event-sourcing/stream-page.js';
import { type Admission, PageNotAdmitted } from './admit-page.js';
import { type RenderEvents, UndecodableEventError } from './event-view.js';
import { type Pages, readAhead } from './read-ahead.js';

/** The entity has no stream: it never existed. */
export type NeverExisted = { readonly _tag: 'NeverExisted' };

const neverExisted = E.left<NeverExisted>({ _tag: 'NeverExisted' });

export type EventsRequest = Pick<StreamRange, 'direction' | 'from' | 'limit'> & {
  readonly proof: boolean;
  /** Whether each event comes with what it changed. Default: no. */
  readonly diff?: boolean;
};

/** Events of an entity as they are answered. */
export type Events = {
  /** Of the entity's newest event when they were read: what was appended later is not among them. */
  readonly newest: Revision;
  /** One JSON array: whole where it is one page of the store, else in parts that are read at the reader's pace. */
  readonly body: Buffer | Pages<Buffer>;
};

type ReadEvents = (
  stream: StreamName,
  request: EventsRequest,
  admission: Admission,
  newest?: Revision,
) => Promise<E.Either<LoadFailure | NeverExisted, Events>>;

export type EventReads = {
  /** Of the newest event of a stream. */
  readonly newestRevision: (stream: StreamName) => Promise<E.Either<StoreUnavailable | NeverExisted, Revision>>;
  readonly events: ReadEvents;
};

/** Rendering takes as long as to send so many times the bytes: what a page counts for when it is admitted. */
const BYTES_FOR_A_BYTE = 4;

const admit = async ({ page }: Admission, events: ReadonlyArray<EventBytes>): Promise<void> => {
  if (!(await page(BYTES_FOR_A_BYTE * sizeOf(events)))) throw new PageNotAdmitted();
};

/** Whether the first and the last of the events that were asked for tell which is the newest of the stream. */
const tellsNewest = ({ direction, from, limit }: EventsRequest): boolean =>
  limit === undefined && (direction === 'forwards' || from === undefined);

/** The range without what was appended after the revision `newest`; undefined when nothing of it is left. */
const rangeUpTo = ({ direction, from, limit = Infinity }: EventsRequest, newest: Revision): StreamRange | undefined => {
  if (direction === 'backwards') return { direction, from: from === undefined || from > newest ? newest : from, limit };
  const first = from ?? 0n;
  return first > newest ? undefined : { direction, from: first, limit: Math.min(limit, Number(newest - first) + 1) };
};

/** Without those that were appended meanwhile, which are the last ones. */
const upTo = (newest: Revision, events: ReadonlyArray<EventBytes>): ReadonlyArray<EventBytes> =>
  (events.at(-1)?.revision ?? 0n) <= newest ? events : events.filter(({ revision }) => revision <= newest);

/** The body of no events. */
export const nothing = Buffer.from('[]');

/** What was thrown by a store, or by what renders events. */
export const failureOf = (thrown: unknown): LoadFailure =>
  thrown instanceof UndecodableEventError ? thrown.undecodable : asStoreUnavailable(thrown);

/**
 * Reads events of a stream and renders them. `newest` is the revision of the newest event, where it is known: no later
 * event is read. It is asked for where the events do not tell it.
 */
export const makeEventReads = (
  clock: Clock,
  store: Pick<EventStore, 'readStream' | 'newestRevision'>,
  render: RenderEvents,
): EventReads => {
  /** A history of several pages, of which two have been read. */
  async function* inParts(
    read: ReadonlyArray<StreamPage>,
    source: AsyncIterator<StreamPage>,
    proof: boolean,
    admission: Admission,
    newest: Revision,
  ): AsyncGenerator<Buffer, void, undefined> {
    let before = '[';
    const rendered = async ({ bytes }: StreamPage): Promise<Buffer> => {
      await admit(admission, bytes);
      const part = render(upTo(newest, bytes), proof, before, '');
      before = ',';
      return part;
    };
    try {
      for (const page of read) if (page.length > 0) yield await rendered(page);
      for (;;) {
        const next = await source.next();
        // appended meanwhile
        if (next.done === true || (next.value.bytes[0]?.revision ?? 0n) > newest) break;
        yield await rendered(next.value);
      }
      yield Buffer.from(']');
    } finally {
      await source.return?.();
    }
  }

  const newestRevision: EventReads['newestRevision'] = async (stream) => {
    const newest = await store.newestRevision(stream);
    if (E.isLeft(newest)) return newest;
    return newest.right === 'no-stream' ? neverExisted : E.right(newest.right);
  };

  /** Of a range in which there is no event. */
  const empty = async (stream: StreamName, { direction, from = 0n }: EventsRequest): ReturnType<ReadEvents> => {
    if (direction === 'backwards' || from === 0n) return neverExisted;
    const newest = await newestRevision(stream);
    if (E.isLeft(newest)) return newest;
    // it lay beyond the newest event when it was read; since then events may have been appended
    return E.right({ newest: newest.right < from ? newest.right : from - 1n, body: nothing });
  };

  const read = async (
    stream: StreamName,
    request: EventsRequest,
    admission: Admission,
    known: Revision | undefined,
    source: AsyncIterator<StreamPage>,
  ): ReturnType<ReadEvents> => {
    const { direction, proof } = request;
    const first = await source.next();
    if (first.done === true) return empty(stream, request);
    const { bytes, isLast } = first.value;
    if (isLast) {
      await admit(admission, bytes);
      const newest = known ?? bytes.at(direction === 'forwards' ? -1 : 0)?.revision ?? 0n;
      return E.right({ newest, body: render(bytes, proof, '[', ']') });
    }
    if (!(await admission.more())) throw new PageNotAdmitted();
    const second = await source.next();
    const pages = second.done === true ? [first.value] : [first.value, second.value];
    const isAsked = known === undefined && direction === 'forwards';
    const [newestRead] = pages.flatMap((page) => page.bytes);
    const newest = isAsked ? await newestRevision(stream) : E.right(known ?? newestRead?.revision ?? 0n);
    if (E.isLeft(newest)) {
      await source.return?.();
      return newest;
    }
    const parts = inParts(pages, source, proof, admission, newest.right);
    return E.right({ newest: newest.right, body: await readAhead(parts) });
  };

  const events: ReadEvents = async (stream, request, admission, known) => {
    const until = answerDeadline(clock);
    let newest = known;
    if (newest === undefined && !tellsNewest(request)) {
      const asked = await newestRevision(stream);
      if (E.isLeft(asked)) return asked;
      newest = asked.right;
    }
    const range = newest === undefined ? request : rangeUpTo(request, newest);
    if (range === undefined) return E.right({ newest: newest ?? 0n, body: nothing });
    const source = store.readStream(stream, { ...range, until, startsSmall: true })[Symbol.asyncIterator]();
    try {
      return await read(stream, request, admission, newest, source);
    } catch (thrown) {
      await source.return?.();
      return E.left(failureOf(thrown));
    }
  };

  return { newestRevision, events };
};
