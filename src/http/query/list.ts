import { either as E } from 'fp-ts';
import { pipe } from 'fp-ts/lib/function.js';
import type { BusinessFilter, DocumentFilter } from '../../read/queries.js';
import { fields } from '../fields/fields-type.js';
import { isPlainText, PLAIN_TEXT } from '../fields/text.js';
import type { RequestInvalid } from '../problem/failure.js';
import { decodeRequest } from '../request/decode.js';
import { After, Limit } from './page.js';
import { parameter, queryValues } from './parameter.js';

/** What a list is asked for. Without `limit`: all of it. */
export type ListRequest<Filter> = {
  readonly filter: Filter;
  readonly limit?: number;
  readonly after?: string;
};

// An empty or an overlong text is no fault: nothing matches it. A control character is one, as in a body.
const Exactly = parameter<string>({
  expectation: 'text without control characters',
  schema: { type: 'string', pattern: PLAIN_TEXT },
  read: (value) => (isPlainText(value, Infinity) ? value : undefined),
});

const page = { limit: Limit, after: After };

const businessFilters = {
  name: Exactly,
  businessType: Exactly,
  parent: Exactly,
  ein: Exactly,
} satisfies Record<keyof BusinessFilter, typeof Exactly>;

const documentFilters = {
  type: Exactly,
  entityType: Exactly,
  entity: Exactly,
  tag: Exactly,
  uploadedBy: Exactly,
} satisfies Record<keyof DocumentFilter, typeof Exactly>;

export const BusinessListQuery = fields({ ...businessFilters, ...page });

export const DocumentListQuery = fields({ ...documentFilters, ...page });

const toRequest = <Filter extends object>({
  limit,
  after,
  ...filter
}: Filter & { readonly limit?: number; readonly after?: string }) => ({
  filter,
  ...(limit === undefined ? {} : { limit }),
  ...(after === undefined ? {} : { after }),
});

export const readBusinessListQuery = (query: URLSearchParams): E.Either<RequestInvalid, ListRequest<BusinessFilter>> =>
  pipe(queryValues(query), decodeRequest(BusinessListQuery), E.map(toRequest));

export const readDocumentListQuery = (query: URLSearchParams): E.Either<RequestInvalid, ListRequest<DocumentFilter>> =>
  pipe(queryValues(query), decodeRequest(DocumentListQuery), E.map(toRequest));
