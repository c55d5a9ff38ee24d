import { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import type { Revision } from '../../event-sourcing/recorded-event.js';
import type { EntityReads } from '../../read/entity-reads.js';
import type { EventsPage, EventsRequest } from '../../read/history.js';
import type { Pages } from '../../read/read-ahead.js';
import { readEventsParameters } from '../parameters/events.js';
import type { Failure } from '../problem/failure.js';
import { isHead, type RequestContext } from '../request-context.js';
import { type HttpResponse, JSON_TYPE, ok } from '../response/http-response.js';
import { nextLink } from '../response/link.js';
import { eventsWindow, needsNewest } from './events-window.js';
import { recordId } from './record-id.js';

type Events = Pick<EntityReads<never>, 'newestRevision' | 'events'>;

async function* jsonArray(pages: AsyncIterable<EventsPage>): AsyncGenerator<string> {
  let separator = '[';
  for await (const texts of pages) {
    yield separator + texts.join(',');
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/** A history of one page in one piece; a longer one page by page, at the reader's pace. */
const responseOf = async (pages: Pages<EventsPage>, headers: ReadonlyArray<string>): Promise<HttpResponse> => {
  if (!pages.isWhole) {
    const body = Readable.from(jsonArray(pages), { objectMode: false });
    // a generator that was never started would not end the store's open read
    return { status: 200, headers, body: body.once('close', () => void pages.return()) };
  }
  let text = '';
  for await (const part of jsonArray(pages)) text += part;
  return ok(text, ...headers);
};

/** A history of at most this many events does not wait behind longer ones: it acquires bytes instead. */
const SHORT = 50;

/** What a large event takes while it is read: as an event, as a text, and as part of the response. */
const EVENT_BYTES = 192 * 1024;

/** Acquires a history if one is free. Else a long history waits for one, and a short one for the bytes it may take. */
const acquire = async (
  { ctx: { state } }: RequestContext,
  newestRevision: () => Promise<E.Either<Failure, Revision>>,
  { limit }: EventsRequest,
): Promise<E.Either<Failure, true>> => {
  if (await state.tryAcquire('histories')) return E.right(true);
  const newest = await newestRevision();
  if (E.isLeft(newest)) return newest;
  const count = Math.min(limit ?? Infinity, Number(newest.right) + 1);
  const isAcquired =
    count <= SHORT ? await state.acquire('bytes', count * EVENT_BYTES) : await state.acquire('histories');
  return isAcquired ? E.right(true) : E.left({ _tag: 'Overloaded' });
};

/** The events of a record, of a deleted one too: all of them as a stream, or a page where a `limit` is given. */
export const listEvents =
  ({ newestRevision, events }: Events) =>
  async (request: RequestContext): Promise<E.Either<Failure, HttpResponse>> => {
    const { ctx, params, searchParams } = request;
    const wanted = readEventsParameters(searchParams);
    if (E.isLeft(wanted)) return wanted;
    const id = recordId(params['id']);
    if (E.isLeft(id)) return id;
    const newest = needsNewest(wanted.right) ? await newestRevision(id.right) : undefined;
    if (newest !== undefined && E.isLeft(newest)) return newest;
    const { range, next } =
      newest === undefined ? { range: wanted.right, next: undefined } : eventsWindow(wanted.right, newest.right);
    const headers = next === undefined ? [] : nextLink(ctx.path, searchParams, { from: next.toString() });
    if (isHead(request)) {
      const pages = await events(id.right, { ...range, limit: 1 });
      if (E.isLeft(pages)) return pages;
      await pages.right.return();
      return E.right({ status: 200, headers, contentType: JSON_TYPE });
    }
    const acquired = await acquire(request, async () => newest ?? newestRevision(id.right), range);
    if (E.isLeft(acquired)) return acquired;
    const pages = await events(id.right, range, () => ctx.state.timeSlice());
    return E.isLeft(pages) ? pages : E.right(await responseOf(pages.right, headers));
  };
