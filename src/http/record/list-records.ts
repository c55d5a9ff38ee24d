import { either as E } from 'fp-ts';
import type { Page, Queries } from '../../read/queries.js';
import { type Exchange, isHead } from '../exchange.js';
import type { Failure, RequestInvalid } from '../problem/failure.js';
import type { ListRequest } from '../query/list.js';
import { type Answer, JSON_TYPE, ok } from '../response/answer.js';
import { nextLink } from '../response/link.js';

type Listing<Filter> = {
  readonly read: (query: URLSearchParams) => E.Either<RequestInvalid, ListRequest<Filter>>;
  readonly queries: Pick<Queries<Filter>, 'page' | 'all'>;
};

const overloaded = E.left<Failure>({ _tag: 'Overloaded' });

/** A page of at most so many records is read without a place among the lists, and so is a list that is no longer. */
const SHORT = 100;

const isText = (records: Page['records']): records is ReadonlyArray<string> => Array.isArray(records);

const pageAnswer = async (
  exchange: Exchange,
  { records, next }: Page,
  hasPlace: boolean,
): Promise<E.Either<Failure, Answer>> => {
  const { ctx, query } = exchange;
  const headers = next === undefined ? [] : nextLink(ctx.path, query, { after: next });
  if (isText(records)) return E.right(ok(`[${records.join(',')}]`, ...headers));
  if (isHead(exchange)) return E.right({ status: 200, headers, contentType: JSON_TYPE });
  if (!hasPlace && !(await ctx.state.take('lists'))) return overloaded;
  const body = await records.open();
  return E.isLeft(body) ? body : E.right({ status: 200, headers, body: body.right });
};

/** Headers of the whole list; one record is read, so that what fails on GET fails on HEAD too. */
const headOfAll = async <Filter>(
  { queries }: Listing<Filter>,
  { filter, after }: ListRequest<Filter>,
): Promise<E.Either<Failure, Answer>> => {
  const page = await queries.page(filter, { after, limit: 1 });
  return E.isLeft(page) ? page : E.right({ status: 200, contentType: JSON_TYPE });
};

const page = async <Filter>(
  { queries }: Listing<Filter>,
  { filter, after }: ListRequest<Filter>,
  limit: number,
  exchange: Exchange,
): Promise<E.Either<Failure, Answer>> => {
  const isShort = limit <= SHORT;
  if (!isShort && !(await exchange.ctx.state.take('lists'))) return overloaded;
  const read = await queries.page(filter, { after, limit });
  return E.isLeft(read) ? read : pageAnswer(exchange, read.right, !isShort);
};

/** The list as its only page; undefined when it is longer. */
const shortList = async <Filter>(
  { queries }: Listing<Filter>,
  { filter, after }: ListRequest<Filter>,
): Promise<E.Either<Failure, Answer | undefined>> => {
  const short = await queries.page(filter, { after, limit: SHORT });
  if (E.isLeft(short)) return short;
  const { records, next } = short.right;
  return E.right(next === undefined && isText(records) ? ok(`[${records.join(',')}]`) : undefined);
};

/** While others read long lists, a short one does not wait for them. */
const whole = async <Filter>(
  listing: Listing<Filter>,
  request: ListRequest<Filter>,
  { ctx: { state } }: Exchange,
): Promise<E.Either<Failure, Answer>> => {
  if (!(await state.takeFree('lists'))) {
    const short = await shortList(listing, request);
    if (E.isLeft(short)) return short;
    if (short.right !== undefined) return E.right(short.right);
    if (!(await state.take('lists'))) return overloaded;
  }
  const body = await listing.queries.all(request.filter, request.after);
  return E.isLeft(body) ? body : E.right({ status: 200, body: body.right });
};

/** A list: a page where a `limit` is given, else all of it, as a stream where it is long. A large page is one too. */
export const listRecords =
  <Filter>(listing: Listing<Filter>) =>
  async (exchange: Exchange): Promise<E.Either<Failure, Answer>> => {
    const request = listing.read(exchange.query);
    if (E.isLeft(request)) return request;
    const { limit } = request.right;
    if (limit !== undefined) return page(listing, request.right, limit, exchange);
    return isHead(exchange) ? headOfAll(listing, request.right) : whole(listing, request.right, exchange);
  };
