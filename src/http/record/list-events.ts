import { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import { type EventsPage, type EventsRequest, type History, loadFailureOf } from '../../read/history.js';
import { type Exchange, isHead } from '../exchange.js';
import type { Failure } from '../problem/failure.js';
import { readEventsQuery } from '../query/events.js';
import { type Answer, JSON_TYPE, ok } from '../response/answer.js';
import { nextLink } from '../response/link.js';
import { eventsWindow, newestRevision } from './events-window.js';
import { recordId } from './record-id.js';

type Events = History<never>['events'];

async function* jsonArray(
  first: EventsPage,
  second: EventsPage,
  rest: AsyncIterator<EventsPage>,
): AsyncGenerator<string> {
  yield `[${first.bodies.join(',')},${second.bodies.join(',')}`;
  for (let page = await rest.next(); page.done !== true; page = await rest.next())
    yield `,${page.value.bodies.join(',')}`;
  yield ']';
}

/** A history of one page in one piece; a longer one page by page, at the reader's pace. */
const bodyOf = async (pages: AsyncIterable<EventsPage>): Promise<string | Readable> => {
  const iterator = pages[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) return '[]';
  const second = await iterator.next();
  if (second.done === true) return `[${first.value.bodies.join(',')}]`;
  const body = Readable.from(jsonArray(first.value, second.value, iterator), { objectMode: false });
  // a generator that was never begun would not end the read of the store that is open
  return body.once('close', () => void iterator.return?.());
};

const answer = async (
  pages: AsyncIterable<EventsPage>,
  headers: ReadonlyArray<string>,
): Promise<E.Either<Failure, Answer>> => {
  try {
    const body = await bodyOf(pages);
    return E.right(typeof body === 'string' ? ok(body, ...headers) : { status: 200, headers, body });
  } catch (error) {
    return E.left(loadFailureOf(error));
  }
};

/** A history of at most so many events does not wait behind longer ones: it takes bytes instead of a place. */
const SHORT = 50;

/** What a large event takes while it is read: as an event, as a text, and as part of the answer. */
const EVENT_BYTES = 192 * 1024;

/** How many events are asked for, as far as there are so many. */
const countOf = async (events: Events, id: string, { limit }: EventsRequest): Promise<E.Either<Failure, number>> =>
  E.map((head: bigint) => Math.min(limit ?? Infinity, Number(head) + 1))(await newestRevision(events, id));

/** Takes a place where one is free. Else a long history waits for one, and a short one for as much as it may hold. */
const admit = async (
  { ctx: { state } }: Exchange,
  events: Events,
  id: string,
  request: EventsRequest,
): Promise<E.Either<Failure, true>> => {
  if (await state.takeFree('histories')) return E.right(true);
  const count = await countOf(events, id, request);
  if (E.isLeft(count)) return count;
  const isAdmitted =
    count.right <= SHORT ? await state.take('bytes', count.right * EVENT_BYTES) : await state.take('histories');
  return isAdmitted ? E.right(true) : E.left({ _tag: 'Overloaded' });
};

const oneEvent = (request: EventsRequest): EventsRequest => ({ ...request, limit: 1 });

const headersOnly = async (pages: AsyncIterable<EventsPage>, headers: ReadonlyArray<string>): Promise<Answer> => {
  for await (const _page of pages) break;
  return { status: 200, headers, contentType: JSON_TYPE };
};

/** The events of a record, of a deleted one too: all of them as a stream, or a page where a `limit` is given. */
export const listEvents =
  (events: Events) =>
  async (exchange: Exchange): Promise<E.Either<Failure, Answer>> => {
    const { ctx, params, query } = exchange;
    const asked = readEventsQuery(query);
    if (E.isLeft(asked)) return asked;
    const id = recordId(params['id']);
    if (E.isLeft(id)) return id;
    const window = await eventsWindow(events, id.right, asked.right);
    if (E.isLeft(window)) return window;
    const { request, next } = window.right;
    const headers = next === undefined ? [] : nextLink(ctx.path, query, { from: next.toString() });
    if (isHead(exchange)) {
      const pages = await events(id.right, oneEvent(request));
      return E.isLeft(pages) ? pages : E.right(await headersOnly(pages.right, headers));
    }
    const admitted = await admit(exchange, events, id.right, request);
    if (E.isLeft(admitted)) return admitted;
    const pages = await events(id.right, request, ctx.state.turn);
    return E.isLeft(pages) ? pages : answer(pages.right, headers);
  };
