import { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import type { AccessPage, AccessPageRequest, AccessQueries } from '../../read/access/access-record.js';
import type { Failure } from '../problem/failure.js';
import { type AuthorizedContext, isHead } from '../request-context.js';
import { preferredType } from '../request/accepted-quality.js';
import type { HttpResponse } from '../response/http-response.js';
import { nextLink } from '../response/link.js';
import { formOf, formsOfReads, inParts, noMark, rendered, withMark } from './forms.js';
import { readReadsParameters } from './reads-parameters.js';

/** Rows of a page where no limit is given. */
const PAGE = 500;

/** The rows of a page and those of all behind it; throws what keeps them from being read. */
async function* pagesFrom(
  { page }: AccessQueries,
  request: AccessPageRequest,
  first: AccessPage,
): AsyncGenerator<AccessPage['reads']> {
  let current = first;
  yield current.reads;
  while (!current.isLast) {
    const next = await page({ ...request, after: current.reads.at(-1)?.id });
    if (E.isLeft(next)) throw new Error('the record of reads cannot be read on', { cause: next.left.cause });
    current = next.right;
    yield current.reads;
  }
}

/**
 * Who read what, in the order in which it was recorded: a page where a `limit` is given, else all rows as a stream, up to
 * the newest at its beginning. What this request itself adds to the record is not in its answer.
 */
export const listReads =
  (queries: AccessQueries) =>
  async (request: AuthorizedContext): Promise<E.Either<Failure, HttpResponse>> => {
    const { ctx, query } = request;
    ctx.vary('Accept');
    const plain = formOf(formsOfReads, preferredType(ctx.req.headers.accept, Object.keys(formsOfReads)));
    const read = readReadsParameters(query);
    if (E.isLeft(read)) return read;
    const { limit, bom, ...wanted } = read.right;
    const form = bom ? withMark(plain) : plain;
    if (form === undefined) return E.left(noMark);
    if (limit === undefined && !isHead(request) && !(await ctx.state.acquire('histories')))
      return E.left({ _tag: 'Overloaded' });
    const newest = await queries.newest();
    if (E.isLeft(newest)) return newest;
    const asked = { ...wanted, limit: limit ?? PAGE, upTo: newest.right ?? 0n };
    const page = await queries.page(asked);
    if (E.isLeft(page)) return page;
    const { reads, isLast } = page.right;
    const last = reads.at(-1);
    const hasNext = limit !== undefined && !isLast && last !== undefined;
    const headers = hasNext ? nextLink(query, { after: last.id.toString() }) : [];
    const response = { status: 200, headers, contentType: form.contentType };
    if (isHead(request)) return E.right(response);
    if (limit !== undefined || isLast)
      return E.right({ ...response, body: `${form.begin}${rendered(reads, form)}${form.end}` });
    const pages = pagesFrom(queries, asked, page.right);
    const body = Readable.from(inParts(form, ctx.state, pages), { objectMode: false });
    return E.right({ ...response, body });
  };
