import { Readable } from 'node:stream';
import { either as E, type taskEither as TE } from 'fp-ts';
import { StoreUnavailable } from '../../event-sourcing/event-store.js';
import { type EventsPage, type EventsRequest, type History, loadFailureOf } from '../../read/history.js';
import { type Exchange, isHead } from '../exchange.js';
import type { Failure } from '../problem/failure.js';
import { readEventsQuery } from '../query/events.js';
import { type Answer, JSON_TYPE, ok } from '../response/answer.js';
import { nextLink } from '../response/link.js';
import { eventsWindow } from './events-window.js';
import { recordId } from './record-id.js';
import { makeTurns, type Turn, type Turns } from './turns.js';

type Events = History<never>['events'];

/** Histories that are read at once; a long one holds some ten megabytes at its reader's pace. */
const TURNS = { places: 8, patienceMs: 2_000, courtesyMs: 1_000 };

async function* jsonArray(first: EventsPage, rest: AsyncIterator<EventsPage>, turn: Turn): AsyncGenerator<string> {
  try {
    turn.heldUp(true);
    yield `[${first.bodies.join(',')}`;
    turn.heldUp(false);
    for (let page = await rest.next(); page.done !== true; page = await rest.next()) {
      turn.heldUp(true);
      yield `,${page.value.bodies.join(',')}`;
      turn.heldUp(false);
    }
    yield ']';
  } finally {
    await rest.return?.();
  }
}

async function* resumed(second: EventsPage, rest: AsyncIterator<EventsPage>): AsyncGenerator<EventsPage> {
  try {
    yield second;
    for (let page = await rest.next(); page.done !== true; page = await rest.next()) yield page.value;
  } finally {
    await rest.return?.();
  }
}

/** A history of one page in one piece; a longer one page by page, at the reader's pace. */
const bodyOf = async (pages: AsyncIterable<EventsPage>, turn: Turn): Promise<string | Readable> => {
  const iterator = pages[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) return '[]';
  const second = await iterator.next();
  if (second.done === true) return `[${first.value.bodies.join(',')}]`;
  return Readable.from(jsonArray(first.value, resumed(second.value, iterator), turn), { objectMode: false });
};

const answer = async (
  pages: AsyncIterable<EventsPage>,
  headers: ReadonlyArray<string>,
  turn: Turn,
): Promise<E.Either<Failure, Answer>> => {
  try {
    const body = await bodyOf(pages, turn);
    if (typeof body === 'string') return E.right(ok(body, ...headers));
    turn.lendTo(body);
    return E.right({ status: 200, headers, body });
  } catch (error) {
    return E.left(loadFailureOf(error));
  }
};

const noTurn = E.left(new StoreUnavailable('too many histories are read at once'));

/** Reads the pages in a turn, which ends with the answer, or with the stream that the answer has for a body. */
const inTurn = async (
  turns: Turns,
  read: () => ReturnType<ReturnType<Events>>,
  headers: ReadonlyArray<string>,
): Promise<E.Either<Failure, Answer>> => {
  const turn = await turns.take();
  if (turn === undefined) return noTurn;
  let isLent = false;
  try {
    const pages = await read();
    const answered = E.isLeft(pages) ? pages : await answer(pages.right, headers, turn);
    isLent = E.isRight(answered) && answered.right.body instanceof Readable;
    return answered;
  } finally {
    if (!isLent) turn.end();
  }
};

const oneEvent = (request: EventsRequest): EventsRequest => ({ ...request, limit: 1 });

const headersOnly = async (pages: AsyncIterable<EventsPage>, headers: ReadonlyArray<string>): Promise<Answer> => {
  for await (const _page of pages) break;
  return { status: 200, headers, contentType: JSON_TYPE };
};

/** The events of a record, of a deleted one too: all of them as a stream, or a page where a `limit` is given. */
export const listEvents =
  (events: Events, turns: Turns = makeTurns(TURNS)) =>
  (exchange: Exchange): TE.TaskEither<Failure, Answer> =>
  async () => {
    const { ctx, params, query } = exchange;
    const asked = readEventsQuery(query);
    if (E.isLeft(asked)) return asked;
    const id = recordId(params['id']);
    if (E.isLeft(id)) return id;
    const window = await eventsWindow(events, id.right, asked.right);
    if (E.isLeft(window)) return window;
    const { request, next } = window.right;
    const headers = next === undefined ? [] : nextLink(ctx.path, query, { from: next.toString() });
    if (!isHead(exchange)) return inTurn(turns, events(id.right, request), headers);
    const pages = await events(id.right, oneEvent(request))();
    return E.isLeft(pages) ? pages : E.right(await headersOnly(pages.right, headers));
  };
