import { createHash } from 'node:crypto';
import { either as E } from 'fp-ts';
import type { Failure } from '../problem/failure.js';
import type { RequestContext } from '../request-context.js';
import { conditionsOf } from '../request/conditions.js';
import { conditionalResponse } from '../response/conditional-response.js';
import type { HttpResponse } from '../response/http-response.js';

type Described = Required<Pick<HttpResponse, 'contentType' | 'cacheControl'>>;

/** Bytes with their entity tag, which is of exactly those bytes; or what the conditions of the request demand. */
export const respondWithBytes = (
  { ctx }: RequestContext,
  body: Buffer,
  described: Described,
): E.Either<Failure, HttpResponse> => {
  const conditions = conditionsOf(ctx.req.headers);
  if (E.isLeft(conditions)) return conditions;
  const tag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  const conditional = conditionalResponse(conditions.right, tag);
  if (conditional === undefined) return E.right({ status: 200, ...described, headers: ['ETag', tag], body });
  const { cacheControl } = described;
  return E.map((response: HttpResponse) => ({ ...response, cacheControl }))(conditional);
};
