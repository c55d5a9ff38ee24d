import type * as t from 'io-ts';
import { FieldsType } from '../fields/fields-type.js';
import type { JsonSchema } from '../fields/json-schema.js';
import { COUNTED, STRICT } from '../request/preferences.js';
import { meaningOf } from '../parameters/parameter.js';

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
    description:
      'A repeat by the same caller, with the same method, path and key, answers the first result, however much later. ' +
      'With another body or reason it is 422, and 409 where what the first one did is erased.',
  },
  'Change-Reason': {
    schema: { type: 'string', pattern: '^[!-~]([ -~]*[!-~])?$', examples: ["UTF-8''Caf%C3%A9%20moved"] },
    description:
      "Why it is changed: at most 255 characters, plain ASCII or UTF-8'' and percent-encoded as in RFC 8187. " +
      'The event shows it as its reason.',
  },
  'Content-Disposition': {
    schema: { type: 'string', examples: ["attachment; filename*=UTF-8''plan.pdf"] },
    description: 'How the file is called, by filename or filename* (RFC 6266), unless originalName says it.',
  },
  Prefer: {
    schema: { type: 'string', examples: [STRICT, COUNTED] },
    description:
      `${STRICT}: what the operation does not know in query and body is 400, not ignored (RFC 7240). ` +
      `${COUNTED}: a list of records says in X-Total-Count how many it has.`,
  },
  'Last-Event-ID': {
    schema: { type: 'string', pattern: '^[0-9]+$' },
    description: 'Of a feed: the index of the last event that the client has; wins over after.',
  },
  Range: { schema: { type: 'string', examples: ['bytes=0-1023'] }, description: 'One range of bytes.' },
  'If-Range': { schema: { type: 'string' }, description: 'The ETag of the file that the range is of.' },
} as const;

export type RequestHeader = keyof typeof requestHeaders;

export const headerParameter = (name: RequestHeader): JsonSchema => ({ name, in: 'header', ...requestHeaders[name] });

const pathMeanings: Readonly<Record<string, string>> = {
  ownerId: 'The user of the owner.',
  asset: 'The name of a script or style.',
  ticket: 'What says whose read it is, and is signed: the end of a link as it was given.',
  index:
    'The place of an event or tile in the log, from 0. Of a tile, in groups of three digits; the / between may be %2F.',
  level: 'The level of the tree that the tile is of, from 0.',
};

export const pathParameter = (name: string): JsonSchema => ({
  name,
  in: 'path',
  required: true,
  description: pathMeanings[name] ?? 'The _id of the record.',
  schema: { type: 'string' },
});

/** One parameter for each field of a query's codec. */
export const queryParameters = (
  query: t.Mixed | undefined,
  schemaOf: (codec: t.Mixed) => JsonSchema,
): ReadonlyArray<JsonSchema> => {
  if (!(query instanceof FieldsType)) return [];
  // reason: `instanceof` does not know the type's parameters
  const { props } = query as FieldsType<Readonly<Record<string, t.Mixed>>, string>;
  return Object.entries(props).map(([name, codec]) => ({
    name,
    in: 'query',
    description: meaningOf(codec) ?? `Only records with exactly this ${name}.`,
    schema: schemaOf(codec),
  }));
};
