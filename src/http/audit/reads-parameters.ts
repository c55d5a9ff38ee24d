import { either as E } from 'fp-ts';
import { pipe } from 'fp-ts/lib/function.js';
import type { AccessPageRequest } from '../../read/access/access-record.js';
import { fields } from '../fields/fields-type.js';
import { Order, readBoolean } from '../parameters/events.js';
import { instantParameter } from '../parameters/instant.js';
import { exactTextParameter } from '../parameters/list.js';
import { Limit } from '../parameters/page.js';
import { parameter } from '../parameters/parameter.js';
import type { QueryValues } from '../parameters/query.js';
import { revisionParameter } from '../parameters/revision.js';
import type { RequestInvalid } from '../problem/failure.js';
import { both } from '../request/both.js';
import { decodeRequest } from '../request/decode.js';

const filters = {
  user: exactTextParameter('Only what this user read.'),
  entityType: exactTextParameter('Only reads of single records of this kind.'),
  entity: exactTextParameter('Only reads of the record with this id.'),
  operation: exactTextParameter('Only reads by this operation, or by the command of this name.'),
  since: instantParameter('Only reads of this time or later.'),
  until: instantParameter('Only reads before this time.'),
};

const Filter = fields(filters);

const page = {
  after: revisionParameter('Starts behind the row with this id; with order=desc, before it.'),
  limit: Limit,
  order: Order,
  bom: parameter<boolean>({
    expectation: 'true or false',
    meaning: 'Begins a table (text/csv) with a byte order mark, by which spreadsheets know UTF-8.',
    schema: { type: 'boolean' },
    read: readBoolean,
  }),
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
      direction: order === 'desc' ? ('backwards' as const) : ('forwards' as const),
    })),
  );
