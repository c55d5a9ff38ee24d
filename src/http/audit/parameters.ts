import { either as E } from 'fp-ts';
import { pipe } from 'fp-ts/lib/function.js';
import type { LedgerPageRequest } from '../../read/ledger.js';
import { wordsOf } from '../../read/words.js';
import { fields } from '../fields/fields-type.js';
import { isPlainText, PLAIN_TEXT, TEXT_LIMIT } from '../fields/text.js';
import { readBoolean } from '../parameters/events.js';
import { instantParameter } from '../parameters/instant.js';
import { exactTextParameter } from '../parameters/list.js';
import { parameter } from '../parameters/parameter.js';
import type { QueryValues } from '../parameters/query.js';
import { revisionParameter } from '../parameters/revision.js';
import { requestInvalid, type RequestInvalid } from '../problem/failure.js';
import { both } from '../request/both.js';
import { decodeRequest } from '../request/decode.js';
import { entityTypes } from './entity-types.js';
import { directionOf, tableParameters } from './table-parameters.js';

const filters = {
  user: exactTextParameter('Only events that this user made happen.'),
  entityType: entityTypes('Only events of records of this kind, as entityType of an event says it'),
  entity: exactTextParameter('Only events of the record with this id.'),
  name: exactTextParameter('Only events with exactly this name.'),
  field: exactTextParameter(
    'Only events that gave this field a value or changed it, by its name in data, or owners, or file.',
  ),
  ref: exactTextParameter('Only events that refer to this id.'),
  reason: parameter<ReadonlyArray<string>>({
    expectation: `text in UTF-8 of at most ${TEXT_LIMIT} characters with a letter or digit, without control characters`,
    meaning: 'Only events whose reason has all words of it, in any order, without case.',
    schema: { type: 'string', maxLength: TEXT_LIMIT, pattern: PLAIN_TEXT },
    read: (text) => {
      const words = isPlainText(text, TEXT_LIMIT) ? [...wordsOf([text])] : [];
      return words.length === 0 ? undefined : words;
    },
  }),
  value: exactTextParameter(
    'Only events whose data has this text as a value, at whatever depth, or a number or truth value that is written so; with ' +
      'entity only.',
  ),
  since: instantParameter('Only events of this time or later.'),
  until: instantParameter('Only events before this time.'),
};

const Filter = fields(filters);

const { until: _, ...followed } = filters;

const page = {
  diff: parameter<boolean>({
    expectation: 'true or false',
    meaning: 'Adds what each event changed, with the values before and after; with entity only.',
    schema: { type: 'boolean' },
    read: readBoolean,
  }),
  after: revisionParameter('Starts behind the event with this index; with order=desc, before it.'),
  ...tableParameters,
};

const Page = fields(page);

export const LedgerParameters = fields({ ...filters, ...page });

/** Of the feed of the ledger, which has neither pages nor an end. */
export const LedgerFeedParameters = fields({ ...followed, after: page.after });

/** Which events to list. Without `limit`: all of them. */
type LedgerRequest = Omit<LedgerPageRequest, 'limit'> & {
  readonly limit: number | undefined;
  readonly bom: boolean;
  /** Whether each event comes with what it changed. */
  readonly diff: boolean;
};

/** Refuses what takes the time of a whole history where no record is named. */
const ofOneRecord = (request: LedgerRequest): E.Either<RequestInvalid, LedgerRequest> => {
  const { filter, diff } = request;
  if (filter.entity !== undefined) return E.right(request);
  const names = [...(filter.value === undefined ? [] : ['value']), ...(diff ? ['diff'] : [])];
  const errors = names.map((path) => ({ path, message: 'is possible together with entity only' }));
  return errors.length === 0 ? E.right(request) : E.left(requestInvalid(...errors));
};

export const readLedgerParameters = (values: QueryValues): E.Either<RequestInvalid, LedgerRequest> =>
  pipe(
    both(decodeRequest(Filter)(values), decodeRequest(Page)(values)),
    E.map(([filter, { after, limit, order, bom = false, diff = false }]) => ({
      filter,
      after,
      limit,
      bom,
      diff,
      direction: directionOf(order),
    })),
    E.chain(ofOneRecord),
  );
