import { either as E } from 'fp-ts';
import type { AsOf } from '../../read/history.js';
import type { Exchange } from '../exchange.js';
import type { Failure } from '../problem/failure.js';
import { readAsOf } from '../query/as-of.js';
import { both } from '../request/both.js';
import { type Conditions, conditionsOf } from '../request/conditions.js';
import { recordId } from './record-id.js';

type AskedRecord = { readonly id: string; readonly asOf: AsOf; readonly conditions: Conditions };

/** Which record a GET asks for, as of when, on what conditions; faults of query and headers go before the id's. */
export const askedRecord = ({ ctx, params, query }: Exchange): E.Either<Failure, AskedRecord> => {
  const asked = both(readAsOf(query), conditionsOf(ctx.req.headers));
  if (E.isLeft(asked)) return asked;
  const [asOf, conditions] = asked.right;
  return E.map((id: string) => ({ id, asOf, conditions }))(recordId(params['id']));
};
