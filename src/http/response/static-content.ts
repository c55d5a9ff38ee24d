import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { either as E } from 'fp-ts';
import type { RequestContext, KoaContext } from '../request-context.js';
import type { Failure } from '../problem/failure.js';
import { conditionsOf } from '../request/conditions.js';
import { conditionalResponse } from './conditional-response.js';
import type { HttpResponse } from './http-response.js';

/** The same content in one coding: its bytes, and the strong entity tag of exactly those (RFC 9110 §8.8.3). */
type Representation = { readonly body: Buffer; readonly tag: string; readonly headers: ReadonlyArray<string> };

/** Content that stays the same while the process lives, kept in every coding in which it is sent. */
export type StaticContent = {
  readonly described: Pick<HttpResponse, 'contentType' | 'contentSecurityPolicy'>;
  readonly identity: Representation;
  /** Compressed when it is first asked for, off the main thread. */
  readonly gzip: () => Promise<Representation>;
};

const compress = promisify(gzip);

const representation = (body: Buffer, ...headers: ReadonlyArray<string>): Representation => {
  const tag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return { body, tag, headers: ['ETag', tag, ...headers] };
};

/** The bytes are kept as they are given. */
export const makeStaticContent = (body: Buffer, described: StaticContent['described']): StaticContent => {
  let compressed: Promise<Representation> | undefined;
  const gzipped = async (): Promise<Representation> => representation(await compress(body), 'Content-Encoding', 'gzip');
  return { described, identity: representation(body), gzip: () => (compressed ??= gzipped()) };
};

/** By the rules of RFC 9110 §12.5.3. Where no coding is acceptable, none is used, as if the header were not there. */
const isGzipPreferred = (ctx: KoaContext): boolean => ctx.acceptsEncodings('gzip', 'identity') === 'gzip';

/**
 * Responds with content that is kept in memory, in the coding that the request prefers, or with 304. All responses share
 * the same bytes, so that one more of them holds none, however slowly it is read.
 */
export const respondWithStatic =
  (content: StaticContent | Promise<StaticContent>) =>
  async ({ ctx }: RequestContext): Promise<E.Either<Failure, HttpResponse>> => {
    const { described, identity, gzip: gzipped } = await content;
    // through Koa, as another `Vary` may be there already
    ctx.vary('Accept-Encoding');
    const conditions = conditionsOf(ctx.req.headers);
    if (E.isLeft(conditions)) return conditions;
    const { body, tag, headers } = isGzipPreferred(ctx) ? await gzipped() : identity;
    const conditional = conditionalResponse(conditions.right, tag);
    if (conditional === undefined) return E.right({ status: 200, ...described, headers, body, isAcquired: true });
    // a cache takes the headers of a 304 for those of what it has stored (RFC 9111 §3.2): the policy must be the same
    const { contentType: _, ...stored } = described;
    return E.map((response: HttpResponse) => ({ ...stored, ...response }))(conditional);
  };
