import { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import type { Revision } from '../../event-sourcing/recorded-event.js';
import type { EventsRequest } from '../../read/entity-events.js';
import type { EntityReads } from '../../read/entity-reads.js';
import { readEventsParameters } from '../parameters/events.js';
import type { Failure } from '../problem/failure.js';
import { both } from '../request/both.js';
import { conditionsOf } from '../request/conditions.js';
import { isHead, type RequestContext } from '../request-context.js';
import { conditionalResponse } from '../response/conditional-response.js';
import { type HttpResponse, JSON_TYPE } from '../response/http-response.js';
import { nextLink } from '../response/link.js';
import { eventsTag } from './events-tag.js';
import { nextPage } from './events-window.js';
import { recordId } from './record-id.js';

type Events = Pick<EntityReads<never>, 'newestRevision' | 'events'>;

/** A history of at most this many events does not wait behind longer ones: it acquires bytes instead. */
const SHORT = 50;

/** What a large event takes while it is read: as an event, as a text, and as part of the response. */
const EVENT_BYTES = 192 * 1024;

const overloaded = E.left<Failure>({ _tag: 'Overloaded' });

/**
 * Acquires a history if one is free. Else a long history waits for one, and a short one for the bytes it may take. Gives
 * the newest revision where it had to be asked for.
 */
const acquire = async (
  { ctx: { state } }: RequestContext,
  id: string,
  { limit = Infinity }: EventsRequest,
  known: Revision | undefined,
  newestRevision: Events['newestRevision'],
): Promise<E.Either<Failure, Revision | undefined>> => {
  if (await state.tryAcquire('histories')) return E.right(known);
  const newest = known === undefined ? await newestRevision(id) : E.right(known);
  if (E.isLeft(newest)) return newest;
  const count = Math.min(limit, Number(newest.right) + 1);
  const isAcquired =
    count <= SHORT ? await state.acquire('bytes', count * EVENT_BYTES) : await state.acquire('histories');
  return isAcquired ? newest : overloaded;
};

const headersOf = (
  { ctx, searchParams }: RequestContext,
  wanted: EventsRequest,
  newest: Revision,
): ReadonlyArray<string> => {
  const next = nextPage(wanted, newest);
  const link = next === undefined ? [] : nextLink(ctx.path, searchParams, { from: next.toString() });
  return ['ETag', eventsTag(wanted, newest), ...link];
};

/**
 * The events of a record, of a deleted one too: all of them as a stream, or a page where a `limit` is given. Where the
 * newest revision is asked for before they are read, later events are left out, so that body, tag and link agree.
 */
export const listEvents =
  ({ newestRevision, events }: Events) =>
  async (request: RequestContext): Promise<E.Either<Failure, HttpResponse>> => {
    const { ctx, params, searchParams } = request;
    const read = both(readEventsParameters(searchParams), conditionsOf(ctx.req.headers));
    if (E.isLeft(read)) return read;
    const [wanted, conditions] = read.right;
    const id = recordId(params['id']);
    if (E.isLeft(id)) return id;
    let known: Revision | undefined;
    if (isHead(request) || conditions.ifMatch !== undefined || conditions.ifNoneMatch !== undefined) {
      const newest = await newestRevision(id.right);
      if (E.isLeft(newest)) return newest;
      known = newest.right;
      const conditional = conditionalResponse(conditions, eventsTag(wanted, known), known);
      if (conditional !== undefined) return conditional;
      if (isHead(request))
        return E.right({ status: 200, headers: headersOf(request, wanted, known), contentType: JSON_TYPE });
    }
    const acquired = await acquire(request, id.right, wanted, known, newestRevision);
    if (E.isLeft(acquired)) return acquired;
    const listed = await events(id.right, wanted, () => ctx.state.timeSlice(), acquired.right);
    if (E.isLeft(listed)) return listed;
    const { newest, body } = listed.right;
    const headers = headersOf(request, wanted, newest);
    // a history of one page in one piece; a longer one page by page, at the reader's pace
    return E.right({
      status: 200,
      headers,
      body: Buffer.isBuffer(body) ? body : Readable.from(body, { objectMode: false }),
    });
  };
