import { either as E } from 'fp-ts';
import type { EntityReads } from '../../read/entity-reads.js';
import type { Page } from '../../read/queries.js';
import type { Freshness } from '../../read/row-or-fold.js';
import { type RequestContext, isHead } from '../request-context.js';
import type { Failure, RequestInvalid } from '../problem/failure.js';
import { type ListParameters, notOfThisOrder } from '../parameters/list.js';
import { cursorText } from '../parameters/cursor.js';
import type { QueryValues } from '../parameters/query.js';
import { COUNTED, prefersCount, withApplied } from '../request/preferences.js';
import { type HttpResponse, JSON_TYPE, ok } from '../response/http-response.js';
import { nextLink } from '../response/link.js';

type Listing<Filter> = {
  readonly read: (query: QueryValues) => E.Either<RequestInvalid, ListParameters<Filter>>;
  readonly reads: Pick<EntityReads<Filter>, 'page' | 'all' | 'count' | 'freshness'>;
};

/** A list as it was asked for; `isCounted`: with the number of its records. */
type Wanted<Filter> = ListParameters<Filter> & { readonly isCounted: boolean };

const overloaded = E.left<Failure>({ _tag: 'Overloaded' });

/** A page or list of at most this many records waits for no list of the budget. */
const SHORT = 100;

/**
 * Headers that say how many records the whole list has. None where that was not counted in time, or the rows could not be
 * reached: the list itself says what comes of that. Whoever counts holds a place among the lists, as for a long one.
 */
const totalOf = async <Filter>(
  { reads }: Listing<Filter>,
  { filter, list }: Wanted<Filter>,
): Promise<ReadonlyArray<string>> => {
  const counted = await reads.count(filter, list.order);
  return E.isLeft(counted) ? [] : withApplied(['X-Total-Count', String(counted.right)], COUNTED);
};

const NOT_COUNTED: ReadonlyArray<string> = [];

const pageResponse = async (
  request: RequestContext,
  { sort }: Pick<ListParameters<unknown>, 'sort'>,
  { records, next }: Page,
  total: ReadonlyArray<string>,
  isAcquired: boolean,
): Promise<E.Either<Failure, HttpResponse>> => {
  const { ctx, query } = request;
  const headers = next === undefined ? total : [...total, ...nextLink(query, { after: cursorText(sort, next) })];
  if (Buffer.isBuffer(records)) return E.right(ok(records, ...headers));
  if (isHead(request)) return E.right({ status: 200, headers, contentType: JSON_TYPE });
  if (!isAcquired && !(await ctx.state.acquire('lists'))) return overloaded;
  const body = await records.open();
  return E.isLeft(body) ? body : E.right({ status: 200, headers, body: body.right });
};

/**
 * Headers of the whole list; one record is read, so that what fails on GET fails on HEAD too. It waits for no place, and so is
 * not counted where none is free.
 */
const headOfAll = async <Filter>(
  listing: Listing<Filter>,
  wanted: Wanted<Filter>,
  request: RequestContext,
): Promise<E.Either<Failure, HttpResponse>> => {
  const page = await listing.reads.page(wanted.filter, { ...wanted.list, limit: 1 });
  if (E.isLeft(page)) return page;
  const mayCount = wanted.isCounted && (await request.ctx.state.tryAcquire('lists'));
  const headers = mayCount ? await totalOf(listing, wanted) : NOT_COUNTED;
  return E.right({ status: 200, headers, contentType: JSON_TYPE });
};

/** What is short waits for no place, and so is not counted where none is free. */
const page = async <Filter>(
  listing: Listing<Filter>,
  wanted: Wanted<Filter>,
  limit: number,
  request: RequestContext,
): Promise<E.Either<Failure, HttpResponse>> => {
  const isShort = limit <= SHORT;
  const { state } = request.ctx;
  if (!isShort && !(await state.acquire('lists'))) return overloaded;
  const isAcquired = !isShort || (wanted.isCounted && (await state.tryAcquire('lists')));
  const reading = listing.reads.page(wanted.filter, { ...wanted.list, limit });
  const [read, total] =
    wanted.isCounted && isAcquired
      ? await Promise.all([reading, totalOf(listing, wanted)])
      : [await reading, NOT_COUNTED];
  return E.isLeft(read) ? read : pageResponse(request, wanted, read.right, total, isAcquired);
};

/** The list as its only page; undefined when it is longer. */
const shortList = async <Filter>(
  { reads }: Listing<Filter>,
  { filter, list }: ListParameters<Filter>,
): Promise<E.Either<Failure, HttpResponse | undefined>> => {
  const short = await reads.page(filter, { ...list, limit: SHORT });
  if (E.isLeft(short)) return short;
  const { records, next } = short.right;
  return E.right(next === undefined && Buffer.isBuffer(records) ? ok(records) : undefined);
};

/** A short list does not wait for the long ones of others. What is counted is counted first: an open list holds a snapshot. */
const whole = async <Filter>(
  listing: Listing<Filter>,
  wanted: Wanted<Filter>,
  { ctx: { state } }: RequestContext,
): Promise<E.Either<Failure, HttpResponse>> => {
  if (!(await state.tryAcquire('lists'))) {
    const short = await shortList(listing, wanted);
    if (E.isLeft(short)) return short;
    if (short.right !== undefined) return E.right(short.right);
    if (!(await state.acquire('lists'))) return overloaded;
  }
  const headers = wanted.isCounted ? await totalOf(listing, wanted) : NOT_COUNTED;
  const body = await listing.reads.all(wanted.filter, wanted.list);
  return E.isLeft(body) ? body : E.right({ status: 200, headers, body: body.right });
};

const listed = <Filter>(
  listing: Listing<Filter>,
  wanted: Wanted<Filter>,
  request: RequestContext,
): Promise<E.Either<Failure, HttpResponse>> => {
  const { limit } = wanted;
  if (limit !== undefined) return page(listing, wanted, limit, request);
  return isHead(request) ? headOfAll(listing, wanted, request) : whole(listing, wanted, request);
};

/** Under `sort`, `after` is no `_id`, so that its fault is not told as that of one. */
const asSorted =
  ({ sort }: Pick<ListParameters<unknown>, 'sort'>) =>
  (failure: Failure): Failure =>
    failure._tag === 'UnknownCursor' && sort !== undefined ? notOfThisOrder : failure;

/** Up to when the list is known to be complete, where later changes may be missing. */
const completeUntil = ({ rows, shownUntil }: Freshness): ReadonlyArray<string> =>
  rows() === 'Fresh' ? [] : ['X-Projected-Until', shownUntil()?.toISOString() ?? 'unknown'];

/** A list: a page where a `limit` is given, else all of it. What is long is streamed. */
export const listRecords =
  <Filter>(listing: Listing<Filter>) =>
  async (request: RequestContext): Promise<E.Either<Failure, HttpResponse>> => {
    const wanted = listing.read(request.query);
    if (E.isLeft(wanted)) return wanted;
    const isCounted = prefersCount(request.ctx.req.headers['prefer']);
    // before the rows are read: they may be newer than that, and not older
    const until = completeUntil(listing.reads.freshness);
    return E.bimap(asSorted(wanted.right), ({ headers = [], ...response }: HttpResponse) => ({
      ...response,
      headers: [...headers, ...until],
    }))(await listed(listing, { ...wanted.right, isCounted }, request));
  };
