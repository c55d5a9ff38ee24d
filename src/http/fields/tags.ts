import { either as E } from 'fp-ts';
import * as t from 'io-ts';
import { describe } from './json-schema.js';
import { isBlank, isPlainText, PLAIN_TEXT } from './text.js';

type Tags = ReadonlyArray<string>;

const TAGS_LIMIT = 50;
const TAG_LIMIT = 64;

/** Faults that are made of one array. */
const FAULTS_LIMIT = 50;

const tagExpectation = `text of at most ${TAG_LIMIT} characters without control characters`;

const readTag = (value: unknown): string | undefined => {
  const tag = typeof value === 'string' ? value.trim() : undefined;
  return tag !== undefined && isPlainText(tag, TAG_LIMIT) ? tag : undefined;
};

const faultOf = (value: unknown, index: number, context: t.Context): t.ValidationError => ({
  value,
  context: t.appendContext(context, String(index), t.string, value),
  message: `expected ${tagExpectation}`,
});

/** Trimmed, without those in which nothing is seen, each once in the order given, and only then counted. */
const readTags = (values: ReadonlyArray<unknown>, context: t.Context): t.Validation<Tags> => {
  const distinct = new Set<string>();
  const faults: t.Errors = [];
  for (const [index, value] of values.entries()) {
    const tag = readTag(value);
    if (tag === undefined) faults.push(faultOf(value, index, context));
    else if (!isBlank(tag)) distinct.add(tag);
    // a client that sent a thousand wrong ones is not helped by a thousand faults, and each costs as much as a request
    if (faults.length === FAULTS_LIMIT) break;
  }
  if (faults.length > 0) return t.failures(faults);
  return distinct.size <= TAGS_LIMIT
    ? t.success([...distinct])
    : t.failure(values, context, `expected at most ${TAGS_LIMIT} different tags`);
};

const isTags = (value: unknown): value is Tags =>
  Array.isArray(value) &&
  value.length <= TAGS_LIMIT &&
  E.isRight(readTags(value, [])) &&
  value.every((tag) => tag !== '' && readTag(tag) === tag);

const COUNTED = 'Trimmed, those in which nothing is seen dropped, each taken once; the limits are of what is left.';

const listed = {
  maxItems: TAGS_LIMIT,
  items: { type: 'string', maxLength: TAG_LIMIT, pattern: PLAIN_TEXT },
  description: COUNTED,
};

/** `tags` of a JSON body; null clears them. */
export const Tags = describe(
  new t.Type<Tags, Tags, unknown>(
    'an array of texts, or null',
    isTags,
    (value, context) => {
      if (value === null) return t.success([]);
      return Array.isArray(value)
        ? readTags(value, context)
        : t.failure(value, context, 'expected an array of texts, or null');
    },
    t.identity,
  ),
  { type: ['array', 'null'], ...listed },
);

const parsedArray = (text: string): ReadonlyArray<unknown> | undefined => {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
};

/**
 * `tags` of form data: repeated `tags`, `tags[]` or `tags[0]`… as they are; a single `tags` is a JSON array or, else,
 * a comma-separated text. An empty text clears them.
 */
export const FormTags = describe(
  new t.Type<Tags, Tags, unknown>(
    'tags as repeated texts, a JSON array or a comma-separated text',
    isTags,
    (value, context) => {
      if (typeof value === 'string') return readTags(parsedArray(value) ?? value.split(','), context);
      // `Object.values`: with `tags[4294967294]` the array has that many holes
      return Array.isArray(value)
        ? readTags(Object.values(value), context)
        : t.failure(value, context, 'expected repeated texts, a JSON array or a comma-separated text');
    },
    t.identity,
  ),
  // text first: Swagger UI takes what it shows in a form for the first of them
  {
    anyOf: [
      {
        type: 'string',
        pattern: PLAIN_TEXT,
        description: `A JSON array, or tags separated by commas: ${TAGS_LIMIT} of ${TAG_LIMIT} characters. ${COUNTED}`,
      },
      { type: 'array', ...listed },
    ],
  },
);
