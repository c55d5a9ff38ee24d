import { either as E, option as O } from 'fp-ts';
import type { EntityReads } from '../../read/entity-reads.js';
import type { View } from '../../read/queries.js';
import type { Failure } from '../problem/failure.js';
import type { Conditions } from '../request/conditions.js';
import { tagOf } from '../request/entity-tags.js';
import type { RequestContext } from '../request-context.js';
import { conditionalResponse } from '../response/conditional-response.js';
import { type HttpResponse, ok } from '../response/http-response.js';
import { pageAdmission } from './page-admission.js';
import { readRecordRequest } from './read-record-request.js';
import { entityNotFound } from './record-id.js';
import { stateAbsent } from './state-absent.js';

/** A large record counts as this many lists: it is held as a whole. */
const LARGE_RECORD = 2;

/** A large record is read only here, and may be newer than its view: the conditions are evaluated again. */
const responseOf = async (
  { ctx }: RequestContext,
  { revision, body }: View,
  conditions: Conditions,
): Promise<E.Either<Failure, HttpResponse>> => {
  const tag = tagOf(revision);
  const conditional = conditionalResponse(conditions, tag);
  if (conditional !== undefined) return conditional;
  if (Buffer.isBuffer(body)) return E.right(ok(body, 'ETag', tag));
  if (!(await ctx.state.acquire('lists', LARGE_RECORD))) return E.left({ _tag: 'Overloaded' });
  const large = await body.read();
  if (E.isLeft(large)) return large;
  if (O.isNone(large.right)) return entityNotFound;
  const { revision: current, bytes } = large.right.value;
  const currentTag = tagOf(current);
  return conditionalResponse(conditions, currentTag) ?? E.right(ok(bytes, 'ETag', currentTag));
};

/** GET by id: the record now, or as it was at a revision or an instant. */
export const getRecord =
  (reads: Pick<EntityReads<never>, 'get' | 'newestRevision'>) =>
  async (request: RequestContext): Promise<E.Either<Failure, HttpResponse>> => {
    const wanted = readRecordRequest(request);
    if (E.isLeft(wanted)) return wanted;
    const { id, asOf, conditions } = wanted.right;
    const view = await reads.get(id, asOf, pageAdmission(request));
    if (E.isLeft(view)) return view;
    return O.isNone(view.right) ? stateAbsent(reads, id, asOf) : responseOf(request, view.right.value, conditions);
  };
