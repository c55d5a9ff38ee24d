import { either as E } from 'fp-ts';
import { pipe } from 'fp-ts/lib/function.js';
import type * as t from 'io-ts';
import type { ListRequest, RecordFilter } from '../../read/queries.js';
import { fields } from '../fields/fields-type.js';
import { isPlainText, PLAIN_TEXT, TEXT_LIMIT } from '../fields/text.js';
import { requestInvalid, type RequestInvalid } from '../problem/failure.js';
import { both } from '../request/both.js';
import { decodeRequest } from '../request/decode.js';
import { readCursor, type Sort, SORTS } from './cursor.js';
import { instantParameter, shownInstant } from './instant.js';
import { After, Limit } from './page.js';
import { parameter } from './parameter.js';
import type { QueryValues } from './query.js';

/** What to list. Without `limit`: all of it. */
export type ListParameters<Filter> = {
  readonly filter: Filter & RecordFilter;
  readonly list: ListRequest;
  readonly limit?: number;
  /** The order as it was asked for. */
  readonly sort?: Sort;
};

/**
 * Matches a field exactly. An empty or an overlong text is no fault: nothing matches it. A control character is a fault,
 * as in a body.
 */
export const exactTextParameter = (meaning?: string): t.Type<string, string> =>
  parameter<string>({
    expectation: 'text in UTF-8 without control characters',
    ...(meaning === undefined ? {} : { meaning }),
    schema: { type: 'string', pattern: PLAIN_TEXT },
    read: (value) => (isPlainText(value, Infinity) ? value : undefined),
  });

/** The same for a list of records. */
export const ExactText = exactTextParameter();

/** Plain text without a comma, in a pattern of the description. */
const NO_COMMA = '[^\\u0000-\\u001f,]*';

/**
 * One of a closed list of words, or several of them, separated by commas. A text alone that is not in the list is no fault:
 * nothing matches it. Among several it is one, because the answer would have the records of the others.
 */
export const someOfParameter = (
  known: ReadonlyArray<string>,
  meaning = 'Only those with this',
): t.Type<string | ReadonlyArray<string>> => {
  const isKnown = (value: string): boolean => known.includes(value);
  const example = known.slice(0, 2).join(',');
  const one = `(?:${known.join('|')})`;
  return parameter<string | ReadonlyArray<string>>({
    expectation: `several of ${known.join(', ')}, with commas but no blanks between them, or one text without control characters`,
    meaning: `${meaning}, or one of several: \`${example}\`.`,
    schema: { type: 'string', pattern: `^(?:${NO_COMMA}|${one}(?:,${one})+)$`, examples: [example] },
    read: (value) => {
      if (!value.includes(',')) return isPlainText(value, Infinity) ? value : undefined;
      const values = value.split(',');
      return values.every(isKnown) ? [...new Set(values)] : undefined;
    },
  });
};

/** Ids that one list is asked for at most. */
const MOST_IDS = 100;

const Ids = parameter<ReadonlyArray<string>>({
  expectation: `at most ${MOST_IDS} ids, separated by commas`,
  meaning: `Only these _ids: at most ${MOST_IDS}, separated by commas.`,
  schema: { type: 'string', pattern: `^${NO_COMMA}(?:,${NO_COMMA}){0,${MOST_IDS - 1}}$` },
  read: (value) => {
    const ids = isPlainText(value, Infinity) ? value.split(',') : [];
    return ids.length > 0 && ids.length <= MOST_IDS ? [...new Set(ids)] : undefined;
  },
});

const SearchText = parameter<string>({
  expectation: `text in UTF-8 of at most ${TEXT_LIMIT} characters, without control characters`,
  meaning: 'Finds records by their words: each word of it begins a word of the record, in any order, without case.',
  schema: { type: 'string', maxLength: TEXT_LIMIT, pattern: PLAIN_TEXT },
  read: (value) => (isPlainText(value, TEXT_LIMIT) ? value : undefined),
});

const isSort = (value: string): value is Sort => Object.hasOwn(SORTS, value);

const SortParameter = parameter<Sort>({
  expectation: `one of ${Object.keys(SORTS).join(', ')}`,
  meaning:
    'The order: `created` is that of creation, `name` that of the code points of the name, `-` turns it round. With it, ' +
    '`after` is only what the `Link` of a page has given under the same `sort`.',
  schema: { type: 'string', enum: Object.keys(SORTS) },
  read: (value) => (isSort(value) ? value : undefined),
});

const ofRecords = {
  ids: Ids,
  q: SearchText,
  createdSince: instantParameter('Records that were created then or later.'),
  updatedSince: instantParameter(
    'Records whose last change was then or later. For looking; to follow changes, use events.',
  ),
};

const page = { sort: SortParameter, limit: Limit, after: After };

const OfRecords = fields(ofRecords);
const Page = fields(page);

const recordFilterOf = ({ ids, q, createdSince, updatedSince }: t.TypeOf<typeof OfRecords>): RecordFilter => ({
  ...(ids === undefined ? {} : { ids }),
  ...(q === undefined ? {} : { q }),
  ...(createdSince === undefined ? {} : { createdSince: shownInstant(createdSince) }),
  ...(updatedSince === undefined ? {} : { updatedSince: shownInstant(updatedSince) }),
});

/** What is said of an `after` under `sort` that is no place in the list. */
export const notOfThisOrder = requestInvalid({
  path: 'after',
  message: 'must be what the Link of a page has given under the same sort',
});

const listOf = ({ sort, after }: t.TypeOf<typeof Page>): E.Either<RequestInvalid, ListRequest> => {
  const order = SORTS[sort ?? 'created'];
  if (after === undefined) return E.right({ order });
  const cursor = readCursor(sort, after);
  return cursor === undefined ? E.left(notOfThisOrder) : E.right({ order, after: cursor });
};

/** The parameters of a list that can be narrowed by `filters`, each by its codec. */
export const listParameters = <Filters extends Readonly<Record<string, t.Mixed>>>(filters: Filters) => {
  const Filter = fields(filters);
  return {
    /** Of all parameters, for the API description. */
    codec: fields({ ...filters, ...ofRecords, ...page }),
    read: (values: QueryValues): E.Either<RequestInvalid, ListParameters<t.TypeOf<typeof Filter>>> =>
      pipe(
        both(
          both(decodeRequest(Filter)(values), decodeRequest(OfRecords)(values)),
          pipe(
            decodeRequest(Page)(values),
            E.chain((wanted) => both(E.right(wanted), listOf(wanted))),
          ),
        ),
        E.map(([[filter, sought], [{ sort, limit }, list]]) => ({
          filter: { ...filter, ...recordFilterOf(sought) },
          list,
          ...(sort === undefined ? {} : { sort }),
          ...(limit === undefined ? {} : { limit }),
        })),
      ),
  };
};
