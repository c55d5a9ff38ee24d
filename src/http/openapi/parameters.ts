import type * as t from 'io-ts';
import { FieldsType, fields } from '../fields/fields-type.js';
import type { JsonSchema } from '../fields/json-schema.js';
import { parameter } from '../query/parameter.js';

/** Where the owner is named whom a request is about, unless path or body do it. */
export const OwnerIdQuery = fields({
  ownerId: parameter<string>({
    expectation: 'the user of an owner',
    schema: { type: 'string' },
    read: (value) => value,
  }),
});

const ENTITY_TAGS = { type: 'string', examples: ['"3"', '*'] };

const requestHeaders = {
  'Accept-Encoding': {
    schema: { type: 'string', examples: ['gzip'] },
    description: 'In which coding the answer may come; gzip is there.',
  },
  'If-Match': { schema: ENTITY_TAGS, description: 'Only at one of these tags; else 412.' },
  'If-None-Match': { schema: ENTITY_TAGS, description: 'Not at these tags: 304 to a GET, 412 to a change.' },
  'Idempotency-Key': {
    schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
    description: 'A repeat with the same key answers the first result; the same key with another request is 422.',
  },
  Range: { schema: { type: 'string', examples: ['bytes=0-1023'] }, description: 'One range of bytes.' },
  'If-Range': { schema: { type: 'string' }, description: 'The ETag of the file that the range is of.' },
} as const;

export type HeaderName = keyof typeof requestHeaders;

const meanings: Readonly<Record<string, string>> = {
  limit: 'Makes a page of at most so many; without it, all of them.',
  after: 'Starts after the record with this _id.',
  from: 'Starts at this revision.',
  order: 'Oldest or newest first.',
  proof: 'Adds what is needed to recompute the hashes.',
  revision: 'The state at this revision. Needs a role that may read events.',
  at: 'The state at this instant; excludes revision. Needs a role that may read events.',
  ownerId: 'The user of the owner; may be in the body or the path instead.',
};

export const headerParameter = (name: HeaderName): JsonSchema => ({ name, in: 'header', ...requestHeaders[name] });

export const pathParameter = (name: string): JsonSchema => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string' },
});

/** One parameter for each field of a query's codec. */
export const queryParameters = (
  query: t.Mixed | undefined,
  schemaOf: (codec: t.Mixed) => JsonSchema,
): ReadonlyArray<JsonSchema> => {
  if (!(query instanceof FieldsType)) return [];
  // reason: `instanceof` cannot tell the parameters of the type
  const { props } = query as FieldsType<Readonly<Record<string, t.Mixed>>, string>;
  return Object.entries(props).map(([name, codec]) => ({
    name,
    in: 'query',
    description: meanings[name] ?? `Only records with exactly this ${name}.`,
    schema: schemaOf(codec),
  }));
};
