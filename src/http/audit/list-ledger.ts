import { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import { attempt } from '../../event-sourcing/attempt.js';
import { failureOf } from '../../read/entity-events.js';
import { type FindChanges, type LedgerDiffs, makeLedgerDiffs, noDiffs } from '../../read/ledger-diffs.js';
import type { LedgerFeed } from '../../read/ledger-feed.js';
import type { Ledger, LedgerPage, LedgerPageRequest } from '../../read/ledger.js';
import { EVENT_STREAM } from '../feed/event-stream.js';
import { readFeedPlace, refuseInFeed } from '../feed/parameters.js';
import { respondWithFeed } from '../feed/respond-with-feed.js';
import type { Failure } from '../problem/failure.js';
import { type AuthorizedContext, isHead } from '../request-context.js';
import { preferredType } from '../request/accepted-quality.js';
import { both } from '../request/both.js';
import type { HttpResponse } from '../response/http-response.js';
import { nextLink } from '../response/link.js';
import { formOf, formsOfEvents, inParts, noMark, rendered, withDiffs, withMark } from './forms.js';
import { readLedgerParameters } from './parameters.js';

/** Events of a page where no limit is given. */
const PAGE = 500;

/** A page of at most so many events waits for no history of the budget. */
const SHORT = 100;

/** The feed of the ledger: its events as they come, behind those that are there. */
export const followLedger = async (
  feed: LedgerFeed,
  request: AuthorizedContext,
): Promise<E.Either<Failure, HttpResponse>> => {
  const read = both(readLedgerParameters(request.query), readFeedPlace(request));
  if (E.isLeft(read)) return read;
  const [{ filter, limit, direction, bom, diff }, place] = read.right;
  const { until } = filter;
  const isGiven = {
    bom,
    diff,
    limit: limit !== undefined,
    order: direction === 'backwards',
    until: until !== undefined,
  };
  const refused = refuseInFeed(isGiven);
  if (E.isLeft(refused)) return refused;
  return respondWithFeed(request, (asked) => feed.open({ ...asked, filter }), place);
};

/** The entries of a page and those of all behind it, with what they changed; throws what keeps the ledger from going on. */
async function* pagesFrom(
  ledger: Ledger,
  request: LedgerPageRequest,
  first: LedgerPage,
  { add, close }: LedgerDiffs,
): AsyncGenerator<LedgerPage['entries']> {
  let page = first;
  try {
    yield page.entries;
    while (!page.isLast) {
      const after = page.entries.at(-1)?.index ?? request.after;
      const next = await ledger.nextPage({ ...request, after });
      if (E.isLeft(next)) throw new Error('the ledger cannot be read on', { cause: next.left.cause });
      page = next.right;
      yield await add(page.entries);
    }
  } finally {
    await close();
  }
}

/**
 * Events of all entities in the order of the log: a page where a `limit` is given, else all of them as a stream. A page
 * has fewer events than its limit where they are large; `Link` says whether more follow. As an event stream, also what
 * comes later.
 */
export const listLedger =
  (ledger: Ledger, feed: LedgerFeed, findChanges: FindChanges) =>
  async (request: AuthorizedContext): Promise<E.Either<Failure, HttpResponse>> => {
    const { ctx, query } = request;
    ctx.vary('Accept');
    const type = preferredType(ctx.req.headers.accept, [...Object.keys(formsOfEvents), EVENT_STREAM]);
    if (type === EVENT_STREAM) return followLedger(feed, request);
    const plain = formOf(formsOfEvents, type);
    const read = readLedgerParameters(query);
    if (E.isLeft(read)) return read;
    const { limit, bom, diff, ...wanted } = read.right;
    const shown = diff ? withDiffs(plain) : plain;
    const form = bom ? withMark(shown) : shown;
    if (form === undefined) return E.left(noMark);
    const isShort = isHead(request) || (limit !== undefined && limit <= SHORT && !diff);
    if (!isShort && !(await ctx.state.acquire('histories'))) return E.left({ _tag: 'Overloaded' });
    const asked = { ...wanted, limit: limit ?? (isHead(request) ? 1 : PAGE) };
    const page = await ledger.page(asked);
    if (E.isLeft(page)) return page;
    const last = page.right.entries.at(-1);
    const hasNext = limit !== undefined && !page.right.isLast && last !== undefined;
    const headers = hasNext ? nextLink(query, { after: last.index.toString() }) : [];
    const response = { status: 200, headers, contentType: form.contentType };
    if (isHead(request)) return E.right(response);
    const { entity } = wanted.filter;
    const admitPage = (bytes?: number): Promise<boolean> => ctx.state.timeSlice(bytes);
    const diffs =
      diff && entity !== undefined
        ? makeLedgerDiffs(findChanges, { entity, direction: wanted.direction, admitPage })
        : noDiffs;
    const isWhole = limit !== undefined || page.right.isLast;
    const entries = await attempt(() => diffs.add(page.right.entries), failureOf);
    if (E.isLeft(entries) || isWhole) await diffs.close();
    if (E.isLeft(entries)) return entries;
    if (isWhole) return E.right({ ...response, body: `${form.begin}${rendered(entries.right, form)}${form.end}` });
    const first = { ...page.right, entries: entries.right };
    const pages = pagesFrom(ledger, asked, first, diffs);
    const body = Readable.from(inParts(form, ctx.state, pages), { objectMode: false });
    return E.right({ ...response, body });
  };
