import { either as E } from 'fp-ts';
import type { CommandContext } from '../../application/command-context.js';
import type { AuthorizedContext, KoaContext } from '../request-context.js';
import { requestInvalid, type RequestInvalid } from '../problem/failure.js';
import type { Fault } from '../problem/problem.js';
import { type Conditions, conditionsOf, evaluate } from './conditions.js';
import { tagOfExpected } from './entity-tags.js';
import { traceparentOf } from './traceparent.js';

const KEY = /^[\u0021-\u007e]{1,255}$/;

const keyFault: Fault = { path: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' };

const preconditionOf = (conditions: Conditions): CommandContext['precondition'] =>
  conditions.ifMatch === undefined && conditions.ifNoneMatch === undefined
    ? undefined
    : (current) => evaluate(conditions, tagOfExpected(current)) === 'Go';

const operationOf = ({ method, path }: KoaContext): string =>
  `${method} ${path.endsWith('/') ? path.slice(0, -1) : path}`;

/** Where a command comes from, as the request's headers say; all faults of them at once. */
export const commandContextOf = ({
  ctx,
  caller,
  requestId,
}: AuthorizedContext): E.Either<RequestInvalid, CommandContext> => {
  const { headers } = ctx.req;
  const key = headers['idempotency-key'];
  const isMalformed = key !== undefined && !(typeof key === 'string' && KEY.test(key));
  const conditions = conditionsOf(headers);
  if (E.isLeft(conditions) || isMalformed) {
    const others = E.isLeft(conditions) ? conditions.left.errors : [];
    return E.left(requestInvalid(...(isMalformed ? [keyFault] : []), ...others));
  }
  return E.right({
    actor: caller.subject,
    correlationId: requestId,
    traceparent: traceparentOf(headers['traceparent']),
    operation: operationOf(ctx),
    idempotencyKey: key,
    precondition: preconditionOf(conditions.right),
  });
};
