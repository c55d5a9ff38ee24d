import { either as E } from 'fp-ts';
import type { CommandContext } from '../../application/command-context.js';
import type { AuthorizedContext } from '../request-context.js';
import { requestInvalid, type RequestInvalid } from '../problem/failure.js';
import type { Fault } from '../problem/problem.js';
import { routeOf } from '../routing/route-of-request.js';
import { bodyFaults } from './body-faults.js';
import { reasonOf } from './change-reason.js';
import { type Conditions, conditionsOf, evaluate } from './conditions.js';
import { tagOfExpected } from './entity-tags.js';

const KEY = /^[\u0021-\u007e]{1,255}$/;

const NONE: ReadonlyArray<Fault> = [];

const keyFault: Fault = { path: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' };

const preconditionOf = (conditions: Conditions): CommandContext['precondition'] =>
  conditions.ifMatch === undefined && conditions.ifNoneMatch === undefined
    ? undefined
    : (current) => evaluate(conditions, tagOfExpected(current)) === 'Go';

// W3C Trace Context, level 1, §3.2.2: version ff, and ids of zeros alone, are invalid.
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace that a request belongs to; a malformed header is ignored, as the standard demands. */
const traceparentOf = (header: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof header === 'string' && TRACEPARENT.test(header) ? header : undefined;

/** The same for every spelling of a path: `/business/1%2D2`, `/business/1-2/` and `/business/1-2` are one operation. */
const operationOf = ({ ctx, params }: AuthorizedContext): string => {
  const path = (routeOf(ctx.req) ?? '').replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  return `${ctx.method} ${path}`;
};

/**
 * Where a command comes from, as the request's headers say; all faults of them at once, and those of a query with unknown
 * parameters.
 */
export const commandContextOf = (request: AuthorizedContext): E.Either<RequestInvalid, CommandContext> => {
  const { ctx, caller, unknown } = request;
  const { headers } = ctx.req;
  const key = headers['idempotency-key'];
  const isMalformed = key !== undefined && !(typeof key === 'string' && KEY.test(key));
  const ofBody = bodyFaults(ctx.req);
  const reason = reasonOf(ctx.req);
  const conditions = conditionsOf(headers);
  const strays = unknown?.parameters ?? NONE;
  if (E.isLeft(conditions) || E.isLeft(reason) || isMalformed || strays.length + ofBody.length > 0) {
    const own = [...(isMalformed ? [keyFault] : []), ...ofBody];
    const faults = [...strays, ...own, ...(E.isLeft(reason) ? [reason.left] : [])];
    return E.left(requestInvalid(...faults, ...(E.isLeft(conditions) ? conditions.left.errors : [])));
  }
  return E.right({
    actor: caller.subject,
    correlationId: ctx.state.requestId,
    traceparent: traceparentOf(headers['traceparent']),
    operation: operationOf(request),
    idempotencyKey: key,
    reason: reason.right,
    precondition: preconditionOf(conditions.right),
  });
};
