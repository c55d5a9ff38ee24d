import { either as E, type taskEither as TE } from 'fp-ts';
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

const isText = (records: Page['records']): records is ReadonlyArray<string> => Array.isArray(records);

const pageAnswer = async (exchange: Exchange, { records, next }: Page): Promise<E.Either<Failure, Answer>> => {
  const { ctx, query } = exchange;
  const headers = next === undefined ? [] : nextLink(ctx.path, query, { after: next });
  if (isText(records)) return E.right(ok(`[${records.join(',')}]`, ...headers));
  if (isHead(exchange)) return E.right({ status: 200, headers, contentType: JSON_TYPE });
  if (!(await ctx.state.take('lists'))) return overloaded;
  const body = await records.open();
  return E.isLeft(body) ? body : E.right({ status: 200, headers, body: body.right });
};

/** Headers of the whole list; one record is read, so that what fails on GET fails on HEAD too. */
const headOfAll = async <Filter>(
  { queries }: Listing<Filter>,
  { filter, after }: ListRequest<Filter>,
): Promise<E.Either<Failure, Answer>> => {
  const page = await queries.page(filter, { after, limit: 1 })();
  return E.isLeft(page) ? page : E.right({ status: 200, contentType: JSON_TYPE });
};

/** A list: a page where a `limit` is given, else all of it as a stream. A large page is a stream too. */
export const listRecords =
  <Filter>(listing: Listing<Filter>) =>
  (exchange: Exchange): TE.TaskEither<Failure, Answer> =>
  async () => {
    const request = listing.read(exchange.query);
    if (E.isLeft(request)) return request;
    const { filter, limit, after } = request.right;
    if (limit !== undefined) {
      const page = await listing.queries.page(filter, { after, limit })();
      return E.isLeft(page) ? page : pageAnswer(exchange, page.right);
    }
    if (isHead(exchange)) return headOfAll(listing, request.right);
    if (!(await exchange.ctx.state.take('lists'))) return overloaded;
    const body = await listing.queries.all(filter, after)();
    return E.isLeft(body) ? body : E.right({ status: 200, body: body.right });
  };
