import { either as E } from 'fp-ts';
import { pipe } from 'fp-ts/lib/function.js';
import type { AccessPageRequest } from '../../read/access/access-record.js';
import { fields } from '../fields/fields-type.js';
import { instantParameter } from '../parameters/instant.js';
import { exactTextParameter } from '../parameters/list.js';
import type { QueryValues } from '../parameters/query.js';
import { revisionParameter } from '../parameters/revision.js';
import type { RequestInvalid } from '../problem/failure.js';
import { both } from '../request/both.js';
import { decodeRequest } from '../request/decode.js';
import { entityTypes } from './entity-types.js';
import { directionOf, tableParameters } from './table-parameters.js';

const filters = {
  user: exactTextParameter('Only what this user read.'),
  entityType: entityTypes('Only reads of single records of this kind'),
  entity: exactTextParameter('Only reads of the record with this id.'),
  operation: exactTextParameter('Only reads by this operation, or by the command of this name.'),
  since: instantParameter('Only reads of this time or later.'),
  until: instantParameter('Only reads before this time.'),
};

const Filter = fields(filters);

const page = {
  after: revisionParameter('Starts behind the row with this id; with order=desc, before it.'),
  ...tableParameters,
};

const Page = fields(page);

export const ReadsParameters = fields({ ...filters, ...page });

/** Which reads to list. Without `limit`: all of them. */
type ReadsRequest = Omit<AccessPageRequest, 'limit' | 'upTo'> & {
  readonly limit: number | undefined;
  readonly bom: boolean;
};

export const readReadsParameters = (values: QueryValues): E.Either<RequestInvalid, ReadsRequest> =>
  pipe(
    both(decodeRequest(Filter)(values), decodeRequest(Page)(values)),
    E.map(([filter, { after, limit, order, bom = false }]) => ({
      filter,
      after,
      limit,
      bom,
      direction: directionOf(order),
    })),
  );
