import { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import { FIRST_PAGE } from '../../event-sourcing/first-page.js';
import type { Revision } from '../../event-sourcing/recorded-event.js';
import type { Events, EventsRequest } from '../../read/entity-events.js';
import type { EntityReads } from '../../read/entity-reads.js';
import { EVENT_STREAM } from '../feed/event-stream.js';
import { readFeedPlace, refuseInFeed, refuseOutsideFeed } from '../feed/parameters.js';
import { respondWithFeed } from '../feed/respond-with-feed.js';
import { readEventsParameters } from '../parameters/events.js';
import type { Failure } from '../problem/failure.js';
import { accepts, preferredType } from '../request/accepted-quality.js';
import { both } from '../request/both.js';
import { conditionsOf } from '../request/conditions.js';
import { type AuthorizedContext, isHead, type KoaContext, type RequestContext } from '../request-context.js';
import { conditionalResponse } from '../response/conditional-response.js';
import { type HttpResponse, JSON_TYPE } from '../response/http-response.js';
import { nextLink } from '../response/link.js';
import { eventsTag } from './events-tag.js';
import { nextPage } from './events-window.js';
import { recordId } from './record-id.js';

export type Histories = Pick<EntityReads<never>, 'newestRevision' | 'events' | 'follow'>;

/** What the first page of a history takes while it is read and rendered: itself, and what is made of it. */
const BYTES = 2 * FIRST_PAGE.bytes;

const overloaded = E.left<Failure>({ _tag: 'Overloaded' });

const headersOf = ({ query }: RequestContext, wanted: EventsRequest, newest: Revision): ReadonlyArray<string> => {
  const next = nextPage(wanted, newest);
  const link = next === undefined ? [] : nextLink(query, { from: next.toString() });
  return ['ETag', eventsTag(wanted, newest), ...link];
};

/** A history of one page in one piece; a longer one page by page, at the reader's pace. */
const responseOf = (request: RequestContext, wanted: EventsRequest, { newest, body }: Events): HttpResponse => ({
  status: 200,
  headers: headersOf(request, wanted, newest),
  body: Buffer.isBuffer(body) ? body : Readable.from(body, { objectMode: false }),
});

/** Whether a client asks for what comes, too. Few do: the header is read as a whole only where it names that type. */
const wantsFeed = (ctx: KoaContext): boolean =>
  accepts(ctx.req.headers.accept, EVENT_STREAM) &&
  preferredType(ctx.req.headers.accept, ['application/json', EVENT_STREAM]) === EVENT_STREAM;

/** The feed of a record: its events as they come, behind those that are there. */
export const followEvents = async (
  { newestRevision, follow }: Pick<Histories, 'newestRevision' | 'follow'>,
  request: AuthorizedContext,
): Promise<E.Either<Failure, HttpResponse>> => {
  const read = both(readEventsParameters(request.query), readFeedPlace(request));
  if (E.isLeft(read)) return read;
  const [{ from, limit, direction, proof, diff = false }, place] = read.right;
  const isGiven = { from: from !== undefined, limit: limit !== undefined, order: direction === 'backwards' };
  const refused = refuseInFeed({ ...isGiven, proof, diff });
  if (E.isLeft(refused)) return refused;
  const id = recordId(request.params['id']);
  if (E.isLeft(id)) return id;
  const newest = await newestRevision(id.right);
  if (E.isLeft(newest)) return newest;
  return respondWithFeed(request, (asked) => follow(id.right, asked), place);
};

/**
 * The events of a record, of a deleted one too: all of them as a stream, or a page where a `limit` is given. Where the
 * newest revision is asked for before they are read, later events are left out, so that body, tag and link agree. As an
 * event stream, also what comes later.
 */
export const listEvents =
  (histories: Histories) =>
  async (request: AuthorizedContext): Promise<E.Either<Failure, HttpResponse>> => {
    const { ctx, params, query } = request;
    ctx.vary('Accept');
    if (wantsFeed(ctx)) return followEvents(histories, request);
    const { newestRevision, events } = histories;
    const listing = both(readEventsParameters(query), refuseOutsideFeed(query));
    const read = both(listing, conditionsOf(ctx.req.headers));
    if (E.isLeft(read)) return read;
    const [[wanted], conditions] = read.right;
    const id = recordId(params['id']);
    if (E.isLeft(id)) return id;
    let known: Revision | undefined;
    if (isHead(request) || conditions.ifMatch !== undefined || conditions.ifNoneMatch !== undefined) {
      const newest = await newestRevision(id.right);
      if (E.isLeft(newest)) return newest;
      known = newest.right;
      const conditional = conditionalResponse(conditions, eventsTag(wanted, known));
      if (conditional !== undefined) return conditional;
      if (isHead(request))
        return E.right({ status: 200, headers: headersOf(request, wanted, known), contentType: JSON_TYPE });
    }
    const { state } = ctx;
    // short histories do not wait behind long ones
    const admission = {
      page: (bytes?: number) => state.timeSlice(bytes),
      more: () => state.acquire('histories'),
    };
    if (!(await state.acquire('bytes', BYTES))) return overloaded;
    const listed = await events(id.right, wanted, admission, known);
    return E.isLeft(listed) ? listed : E.right(responseOf(request, wanted, listed.right));
  };
