import { either as E } from 'fp-ts';
import { pipe } from 'fp-ts/lib/function.js';
import type * as t from 'io-ts';
import { fields } from '../fields/fields-type.js';
import { isPlainText, PLAIN_TEXT } from '../fields/text.js';
import type { RequestInvalid } from '../problem/failure.js';
import { both } from '../request/both.js';
import { decodeRequest } from '../request/decode.js';
import { After, Limit } from './page.js';
import { parameter, parameterValues } from './parameter.js';

/** What to list. Without `limit`: all of it. */
export type ListRequest<Filter> = {
  readonly filter: Filter;
  readonly limit?: number;
  readonly after?: string;
};

/**
 * Matches a field exactly. An empty or an overlong text is no fault: nothing matches it. A control character is a fault,
 * as in a body.
 */
export const exactTextParameter = (meaning?: string): t.Type<string, string> =>
  parameter<string>({
    expectation: 'text without control characters',
    ...(meaning === undefined ? {} : { meaning }),
    schema: { type: 'string', pattern: PLAIN_TEXT },
    read: (value) => (isPlainText(value, Infinity) ? value : undefined),
  });

/** The same for a list of records. */
export const ExactText = exactTextParameter();

const page = { limit: Limit, after: After };

const Page = fields(page);

/** The parameters of a list that can be narrowed by `filters`, each by its codec. */
export const listParameters = <Filters extends Readonly<Record<string, t.Mixed>>>(filters: Filters) => {
  const Filter = fields(filters);
  return {
    /** Of all parameters, for the API description. */
    codec: fields({ ...filters, ...page }),
    read: (searchParams: URLSearchParams): E.Either<RequestInvalid, ListRequest<t.TypeOf<typeof Filter>>> => {
      const values = parameterValues(searchParams);
      return pipe(
        both(decodeRequest(Filter)(values), decodeRequest(Page)(values)),
        E.map(([filter, wanted]) => ({ filter, ...wanted })),
      );
    },
  };
};
