import { either as E } from 'fp-ts';
import { pipe } from 'fp-ts/lib/function.js';
import { fields } from '../fields/fields-type.js';
import type { QueryValues } from '../parameters/query.js';
import { revisionParameter } from '../parameters/revision.js';
import { requestInvalid, type RequestInvalid } from '../problem/failure.js';
import { decodeRequest } from '../request/decode.js';
import type { RequestContext } from '../request-context.js';

export const LAST_EVENT_ID = 'Last-Event-ID';

/** Of a feed alone: pages of a history begin at a revision. */
export const feedParameters = {
  after: revisionParameter('Of a feed: starts behind the event with this index among the events of all records.'),
};

/** Refuses outside a feed what means something in a feed alone. */
export const refuseOutsideFeed = (query: QueryValues): E.Either<RequestInvalid, undefined> => {
  const errors = Object.keys(feedParameters)
    .filter((name) => Object.hasOwn(query, name))
    .map((path) => ({ path, message: 'is possible in a feed only' }));
  return errors.length === 0 ? E.right(undefined) : E.left(requestInvalid(...errors));
};

const Places = fields({ [LAST_EVENT_ID]: revisionParameter('As after.'), ...feedParameters });

/** The index of the last event that a client has, and where it says so. */
export type FeedPlace = { readonly index: bigint | undefined; readonly saidBy: string };

/** A client that connects again sends the header, and its address as it was: the header is newer. */
export const readFeedPlace = ({ ctx, query }: RequestContext): E.Either<RequestInvalid, FeedPlace> => {
  const header = ctx.req.headers['last-event-id'];
  const values = { ...query, ...(header === undefined ? {} : { [LAST_EVENT_ID]: header }) };
  return pipe(
    decodeRequest(Places)(values),
    E.map(({ [LAST_EVENT_ID]: last, after }) => {
      return last === undefined ? { index: after, saidBy: 'after' } : { index: last, saidBy: LAST_EVENT_ID };
    }),
  );
};

/** The faults of parameters that make no sense in a feed: those for which `isGiven` is true. */
export const refuseInFeed = (isGiven: Readonly<Record<string, boolean>>): E.Either<RequestInvalid, undefined> => {
  const names = Object.keys(isGiven).filter((name) => isGiven[name] === true);
  const errors = names.map((path) => ({ path, message: 'is not possible in a feed' }));
  return errors.length === 0 ? E.right(undefined) : E.left(requestInvalid(...errors));
};
