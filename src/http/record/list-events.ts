import { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import type { Revision } from '../../event-sourcing/recorded-event.js';
import type { EventsPage, EventsRequest, History } from '../../read/history.js';
import type { Pages } from '../../read/read-ahead.js';
import { type Exchange, isHead } from '../exchange.js';
import type { Failure } from '../problem/failure.js';
import { readEventsQuery } from '../query/events.js';
import { type Answer, JSON_TYPE, ok } from '../response/answer.js';
import { nextLink } from '../response/link.js';
import { eventsWindow, needsNewest } from './events-window.js';
import { recordId } from './record-id.js';

type Events = Pick<History<never>, 'newestRevision' | 'events'>;

async function* jsonArray(pages: AsyncIterable<EventsPage>): AsyncGenerator<string> {
  let separator = '[';
  for await (const texts of pages) {
    yield separator + texts.join(',');
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/** A history of one page in one piece; a longer one page by page, at the reader's pace. */
const answer = async (pages: Pages<EventsPage>, headers: ReadonlyArray<string>): Promise<Answer> => {
  if (!pages.isWhole) {
    const body = Readable.from(jsonArray(pages), { objectMode: false });
    // a generator that was never begun would not end the read of the store that is open
    return { status: 200, headers, body: body.once('close', () => void pages.return()) };
  }
  let text = '';
  for await (const part of jsonArray(pages)) text += part;
  return ok(text, ...headers);
};

/** A history of at most so many events does not wait behind longer ones: it takes bytes instead of a place. */
const SHORT = 50;

/** What a large event takes while it is read: as an event, as a text, and as part of the answer. */
const EVENT_BYTES = 192 * 1024;

/** Takes a place where one is free. Else a long history waits for one, and a short one for as much as it may hold. */
const admit = async (
  { ctx: { state } }: Exchange,
  newestRevision: () => Promise<E.Either<Failure, Revision>>,
  { limit }: EventsRequest,
): Promise<E.Either<Failure, true>> => {
  if (await state.takeFree('histories')) return E.right(true);
  const newest = await newestRevision();
  if (E.isLeft(newest)) return newest;
  const count = Math.min(limit ?? Infinity, Number(newest.right) + 1);
  const isAdmitted = count <= SHORT ? await state.take('bytes', count * EVENT_BYTES) : await state.take('histories');
  return isAdmitted ? E.right(true) : E.left({ _tag: 'Overloaded' });
};

/** The events of a record, of a deleted one too: all of them as a stream, or a page where a `limit` is given. */
export const listEvents =
  ({ newestRevision, events }: Events) =>
  async (exchange: Exchange): Promise<E.Either<Failure, Answer>> => {
    const { ctx, params, query } = exchange;
    const asked = readEventsQuery(query);
    if (E.isLeft(asked)) return asked;
    const id = recordId(params['id']);
    if (E.isLeft(id)) return id;
    const newest = needsNewest(asked.right) ? await newestRevision(id.right) : undefined;
    if (newest !== undefined && E.isLeft(newest)) return newest;
    const { request, next } =
      newest === undefined ? { request: asked.right, next: undefined } : eventsWindow(asked.right, newest.right);
    const headers = next === undefined ? [] : nextLink(ctx.path, query, { from: next.toString() });
    if (isHead(exchange)) {
      const pages = await events(id.right, { ...request, limit: 1 });
      if (E.isLeft(pages)) return pages;
      await pages.right.return();
      return E.right({ status: 200, headers, contentType: JSON_TYPE });
    }
    const admitted = await admit(exchange, async () => newest ?? newestRevision(id.right), request);
    if (E.isLeft(admitted)) return admitted;
    const pages = await events(id.right, request, ctx.state.turn);
    return E.isLeft(pages) ? pages : E.right(await answer(pages.right, headers));
  };
