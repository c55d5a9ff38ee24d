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
  readonly gzip: Representation;
};

const compress = promisify(gzip);

const representation = (body: Buffer, ...headers: ReadonlyArray<string>): Representation => {
  const tag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return { body, tag, headers: ['ETag', tag, ...headers] };
};

/** Compresses a content, once and off the main thread; the bytes are kept as they are given. */
export const makeStaticContent = async (
  body: Buffer,
  described: StaticContent['described'],
): Promise<StaticContent> => ({
  described,
  identity: representation(body),
  gzip: representation(await compress(body), 'Content-Encoding', 'gzip'),
});

/** By the rules of RFC 9110 §12.5.3. Where no coding is acceptable, none is used, as if the header were not there. */
const codingFor = (ctx: KoaContext): 'gzip' | 'identity' =>
  ctx.acceptsEncodings('gzip', 'identity') === 'gzip' ? 'gzip' : 'identity';

/**
 * Responds with content that is kept in memory, in the coding that the request prefers, or with 304. All responses share
 * the same bytes, so that one more of them holds none, however slowly it is read.
 */
export const respondWithStatic =
  (content: Promise<StaticContent>) =>
  async ({ ctx }: RequestContext): Promise<E.Either<Failure, HttpResponse>> => {
    const { described, ...codings } = await content;
    // through Koa, as another `Vary` may be there already
    ctx.vary('Accept-Encoding');
    const conditions = conditionsOf(ctx.req.headers);
    if (E.isLeft(conditions)) return conditions;
    const { body, tag, headers } = codings[codingFor(ctx)];
    const conditional = conditionalResponse(conditions.right, tag);
    if (conditional === undefined) return E.right({ status: 200, ...described, headers, body, isAcquired: true });
    // a cache takes the headers of a 304 for those of what it has stored (RFC 9111 §3.2): the policy must be the same
    const { contentType: _, ...stored } = described;
    return E.map((response: HttpResponse) => ({ ...stored, ...response }))(conditional);
  };
