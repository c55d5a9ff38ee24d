import { either as E } from 'fp-ts';
import type { AsOf } from '../../read/history.js';
import { readAsOf } from '../parameters/as-of.js';
import type { Failure } from '../problem/failure.js';
import { both } from '../request/both.js';
import { type Conditions, conditionsOf } from '../request/conditions.js';
import type { RequestContext } from '../request-context.js';
import { recordId } from './record-id.js';

type RecordRequest = { readonly id: string; readonly asOf: AsOf; readonly conditions: Conditions };

/**
 * Which record a GET asks for, as of when, and on what conditions. Faults of parameters and headers go before an unknown
 * id.
 */
export const readRecordRequest = ({ ctx, params, query }: RequestContext): E.Either<Failure, RecordRequest> => {
  const read = both(readAsOf(query), conditionsOf(ctx.req.headers));
  if (E.isLeft(read)) return read;
  const [asOf, conditions] = read.right;
  return E.map((id: string) => ({ id, asOf, conditions }))(recordId(params['id']));
};
