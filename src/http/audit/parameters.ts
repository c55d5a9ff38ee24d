import { either as E } from 'fp-ts';
import { pipe } from 'fp-ts/lib/function.js';
import type { LedgerPageRequest } from '../../read/ledger.js';
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
  user: exactTextParameter('Only events that this user made happen.'),
  entityType: exactTextParameter('Only events of records of this kind, as entityType of an event says it.'),
  entity: exactTextParameter('Only events of the record with this id.'),
  name: exactTextParameter('Only events with exactly this name.'),
  field: exactTextParameter(
    'Only events that gave this field a value or changed it, by its name in data, or owners, or file.',
  ),
  ref: exactTextParameter('Only events that refer to this id.'),
  since: instantParameter('Only events of this time or later.'),
  until: instantParameter('Only events before this time.'),
};

const Filter = fields(filters);

const page = {
  after: revisionParameter('Starts behind the event with this index; with order=desc, before it.'),
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

export const LedgerParameters = fields({ ...filters, ...page });

/** Which events to list. Without `limit`: all of them. */
type LedgerRequest = Omit<LedgerPageRequest, 'limit'> & {
  readonly limit: number | undefined;
  readonly bom: boolean;
};

export const readLedgerParameters = (values: QueryValues): E.Either<RequestInvalid, LedgerRequest> =>
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
