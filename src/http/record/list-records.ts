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

const pageAnswer = ({ ctx, query }: Exchange, { bodies, next }: Page): Answer =>
  ok(`[${bodies.join(',')}]`, ...(next === undefined ? [] : nextLink(ctx.path, query, { after: next })));

/** Headers of the whole list; one record is read, so that what fails on GET fails on HEAD too. */
const headOfAll = async <Filter>(
  { queries }: Listing<Filter>,
  { filter, after }: ListRequest<Filter>,
): Promise<E.Either<Failure, Answer>> => {
  const page = await queries.page(filter, { after, limit: 1 })();
  return E.isLeft(page) ? page : E.right({ status: 200, contentType: JSON_TYPE });
};

/** A list: a page where a `limit` is given, else all of it as a stream. */
export const listRecords =
  <Filter>(listing: Listing<Filter>) =>
  (exchange: Exchange): TE.TaskEither<Failure, Answer> =>
  async () => {
    const request = listing.read(exchange.query);
    if (E.isLeft(request)) return request;
    const { filter, limit, after } = request.right;
    if (limit !== undefined) {
      const page = await listing.queries.page(filter, { after, limit })();
      return E.isLeft(page) ? page : E.right(pageAnswer(exchange, page.right));
    }
    if (isHead(exchange)) return headOfAll(listing, request.right);
    const body = await listing.queries.all(filter, after)();
    return E.isLeft(body) ? body : E.right({ status: 200, body: body.right });
  };
