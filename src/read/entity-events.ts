import { either as E } from 'fp-ts';
import { answerDeadline } from '../event-sourcing/answer-deadline.js';
import {
  asStoreUnavailable,
  type EventStore,
  type StoreUnavailable,
  type StreamRange,
} from '../event-sourcing/event-store.js';
import type { LoadFailure } from '../event-sourcing/for-each-event.js';
import type { Revision, StreamName } from '../event-sourcing/recorded-event.js';
import type { EventBytes, StreamPage } from '../event-sourcing/stream-page.js';
import { type AdmitPage, PageNotAdmitted } from './admit-page.js';
import { type RenderEvents, UndecodableEventError } from './event-view.js';
import { type Pages, readAhead } from './read-ahead.js';

/** The entity has no stream: it never existed. */
export type NeverExisted = { readonly _tag: 'NeverExisted' };

const neverExisted = E.left<NeverExisted>({ _tag: 'NeverExisted' });

export type EventsRequest = Pick<StreamRange, 'direction' | 'from' | 'limit'> & { readonly proof: boolean };

/** Events of an entity as they are answered. */
export type Events = {
  /** Of the entity's newest event when they were read: what was appended later is not among them. */
  readonly newest: Revision;
  /** One JSON array: whole where it is one page of the store, else in parts that are read at the reader's pace. */
  readonly body: Buffer | Pages<Buffer>;
};

type Read<A> = (
  stream: StreamName,
  request: EventsRequest,
  admitPage: AdmitPage,
  newest: Revision | undefined,
) => Promise<E.Either<LoadFailure | NeverExisted, A>>;

type ReadEvents = {
  /** Of the newest event of a stream. */
  readonly newestRevision: (stream: StreamName) => Promise<E.Either<StoreUnavailable | NeverExisted, Revision>>;
  readonly events: Read<Events>;
  /** The same when they are few and fit into one page of the store; undefined when they are not. */
  readonly fewEvents: Read<Events | undefined>;
};

/** So many events are few: the store reads them together with those of other streams. */
const FEW = 50;

/** Rendering takes as long as to send so many times the bytes: what a page counts for when it is admitted. */
const BYTES_FOR_A_BYTE = 8;

const loadFailureOf = (thrown: unknown): LoadFailure =>
  thrown instanceof UndecodableEventError ? thrown.undecodable : asStoreUnavailable(thrown);

const admit = async (admitPage: AdmitPage, events: ReadonlyArray<EventBytes>): Promise<void> => {
  let bytes = 0;
  for (const { data, metadata } of events) bytes += data.length + metadata.length;
  if (!(await admitPage(BYTES_FOR_A_BYTE * bytes))) throw new PageNotAdmitted();
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

const nothing = Buffer.from('[]');

/**
 * Reads events of a stream and renders them. `newest` is the revision of the newest event, where it is known: no later
 * event is read. It is asked for where the events do not tell it.
 */
export const makeReadEvents = (
  store: Pick<EventStore, 'readStream' | 'newestRevision'>,
  render: RenderEvents,
): ReadEvents => {
  /** A history of several pages, of which two have been read. */
  async function* inParts(
    read: ReadonlyArray<StreamPage>,
    source: AsyncIterator<StreamPage>,
    proof: boolean,
    admitPage: AdmitPage,
    newest: Revision,
  ): AsyncGenerator<Buffer, void, undefined> {
    let before = '[';
    const rendered = async ({ bytes }: StreamPage): Promise<Buffer> => {
      await admit(admitPage, bytes);
      const part = render(
        bytes.filter(({ revision }) => revision <= newest),
        proof,
        before,
        '',
      );
      before = ',';
      return part;
    };
    try {
      for (const page of read) yield await rendered(page);
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

  const newestRevision: ReadEvents['newestRevision'] = async (stream) => {
    const newest = await store.newestRevision(stream);
    if (E.isLeft(newest)) return newest;
    return newest.right === 'no-stream' ? neverExisted : E.right(newest.right);
  };

  /** Of a range in which there is no event. */
  const empty = async (stream: StreamName, { direction, from = 0n }: EventsRequest): ReturnType<Read<Events>> => {
    if (direction === 'backwards' || from === 0n) return neverExisted;
    const newest = await newestRevision(stream);
    if (E.isLeft(newest)) return newest;
    // it lay beyond the newest event when it was read; since then events may have been appended
    return E.right({ newest: newest.right < from ? newest.right : from - 1n, body: nothing });
  };

  const read = async (
    stream: StreamName,
    request: EventsRequest,
    admitPage: AdmitPage,
    known: Revision | undefined,
    source: AsyncIterator<StreamPage>,
  ): ReturnType<Read<Events>> => {
    const { direction, proof } = request;
    const first = await source.next();
    if (first.done === true) return empty(stream, request);
    const { bytes } = first.value;
    const second = await source.next();
    if (second.done === true) {
      await admit(admitPage, bytes);
      const newest = known ?? bytes.at(direction === 'forwards' ? -1 : 0)?.revision ?? 0n;
      return E.right({ newest, body: render(bytes, proof, '[', ']') });
    }
    const isAsked = known === undefined && direction === 'forwards';
    const newest = isAsked ? await newestRevision(stream) : E.right(known ?? bytes[0]?.revision ?? 0n);
    if (E.isLeft(newest)) {
      await source.return?.();
      return newest;
    }
    const parts = inParts([first.value, second.value], source, proof, admitPage, newest.right);
    return E.right({ newest: newest.right, body: await readAhead(parts) });
  };

  /** What `work` makes of the range of a request, without what was appended after `known`. */
  const within = async <A>(
    stream: StreamName,
    request: EventsRequest,
    known: Revision | undefined,
    work: (range: StreamRange, newest: Revision | undefined) => Promise<E.Either<LoadFailure | NeverExisted, A>>,
  ): Promise<E.Either<LoadFailure | NeverExisted, A | Events>> => {
    let newest = known;
    if (newest === undefined && !tellsNewest(request)) {
      const asked = await newestRevision(stream);
      if (E.isLeft(asked)) return asked;
      newest = asked.right;
    }
    const range = newest === undefined ? request : rangeUpTo(request, newest);
    if (range === undefined) return E.right({ newest: newest ?? 0n, body: nothing });
    return work(range, newest);
  };

  const fewEvents: ReadEvents['fewEvents'] = (stream, request, admitPage, known) => {
    const until = answerDeadline();
    return within(stream, request, known, async ({ limit = Infinity, ...range }, newest) => {
      const page = { ...range, limit: Math.min(limit, FEW + 1), until };
      const source = store.readStream(stream, page)[Symbol.asyncIterator]();
      try {
        const first = await source.next();
        if (first.done === true) return await empty(stream, request);
        const { bytes } = first.value;
        const isWhole = (bytes.length <= FEW || bytes.length === limit) && (await source.next()).done === true;
        if (!isWhole) return E.right(undefined);
        await admit(admitPage, bytes);
        const last = newest ?? bytes.at(request.direction === 'forwards' ? -1 : 0)?.revision ?? 0n;
        return E.right({ newest: last, body: render(bytes, request.proof, '[', ']') });
      } catch (thrown) {
        return E.left(loadFailureOf(thrown));
      } finally {
        await source.return?.();
      }
    });
  };

  const events: ReadEvents['events'] = (stream, request, admitPage, known) => {
    const until = answerDeadline();
    return within(stream, request, known, async (range, newest) => {
      const source = store.readStream(stream, { ...range, until })[Symbol.asyncIterator]();
      try {
        return await read(stream, request, admitPage, newest, source);
      } catch (thrown) {
        await source.return?.();
        return E.left(loadFailureOf(thrown));
      }
    });
  };

  return { newestRevision, events, fewEvents };
};
