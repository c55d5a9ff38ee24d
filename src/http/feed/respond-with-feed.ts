import { either as E } from 'fp-ts';
import type { Feed, FeedRequest, LedgerFeed } from '../../read/ledger-feed.js';
import { connectionOf } from '../budget/connection.js';
import { type Failure, requestInvalid } from '../problem/failure.js';
import { type AuthorizedContext, isHead, type KoaContext } from '../request-context.js';
import type { HttpResponse } from '../response/http-response.js';
import { EVENT_STREAM, renderPart } from './event-stream.js';
import type { FeedPlace } from './parameters.js';

/** Proxies close a connection on which nothing has come for a while, many of them after a minute, ms. */
const HEARTBEAT_MS = 15_000;

type Open = (request: Omit<FeedRequest, 'filter'>) => ReturnType<LedgerFeed['open']>;

/** Nginx holds answers back unless it is told not to. */
const described = {
  status: 200,
  headers: ['X-Accel-Buffering', 'no'],
  contentType: `${EVENT_STREAM}; charset=utf-8`,
} as const;

async function* rendered({ parts }: Feed): AsyncGenerator<Buffer, void, undefined> {
  for await (const part of parts) yield renderPart(part);
}

/** Ends a feed as soon as its response is closed. */
const endWith = ({ res }: KoaContext, { close }: Feed): void => {
  if (res.destroyed) close();
  else res.once('close', close);
};

/**
 * Events as they come, until the client goes, its token expires or the service stops. A client that does not read them is
 * cut: it may come again with the index of the last event that it has.
 */
export const respondWithFeed = async (
  request: AuthorizedContext,
  open: Open,
  { index, saidBy }: FeedPlace,
): Promise<E.Either<Failure, HttpResponse>> => {
  const { ctx, caller } = request;
  const isHeadOnly = isHead(request);
  if (!isHeadOnly && !(await ctx.state.tryAcquire('feeds'))) return E.left({ _tag: 'Overloaded' });
  const connection = connectionOf(ctx.req.socket);
  const onTooSlow = (): void => connection.cut('a feed was not read in time');
  const opened = await open({ after: index, quietMs: HEARTBEAT_MS, until: caller.expiresAt * 1000, onTooSlow });
  if (E.isLeft(opened))
    return opened.left._tag === 'PastEnd'
      ? E.left(requestInvalid({ path: saidBy, message: 'must be the index of an event' }))
      : E.left(opened.left);
  const feed = opened.right;
  if (isHeadOnly) feed.close();
  else endWith(ctx, feed);
  return E.right({ ...described, live: rendered(feed) });
};
