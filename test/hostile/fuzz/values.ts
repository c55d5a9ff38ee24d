import fc from 'fast-check';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isBlank } from '../../../src/http/fields/text.js';
import { arbitraryOf, type Schema } from '../../support/arbitrary-of-schema.js';

/** JSON texts of values that a field takes, and of some that it has to refuse. */
type Values = { readonly valid: ReadonlyArray<string>; readonly invalid: ReadonlyArray<string> };

/** Values for the field `name` with a schema. */
export type ValuesOf = (name: string, schema: Schema) => Values;

/** Arbitrary values drawn for a field, beside those at its limits. */
const DRAWN = 30;

const DEEP = 90;

const hostileTexts = ' |\u00a0|a\u0000b|\u0001|a\nb|\u007f|\u202eabc|\ufeffa|\u2028|null|'.split('|');
const halves = ['\ud800', 'a\udc00', '\udc00\ud800'];
const plainTexts = ["'; DROP TABLE x; --", '<script>', '%00', '${7*7}', '../../etc/passwd', '\\', '"', '𝒳'];
const others = [null, true, false, 0, -1, 1.5, 1e308, 5e-324, [], {}, [[['x']]], { a: { b: 1 } }, [null], [1, 'x']];

/** What `JSON.stringify` cannot write: numbers beyond any double, -0, and nesting without end. */
const rawTexts = [
  ...['1e999', '-1e999', '-0', '0.1e-400', '123456789012345678901234567890'],
  '['.repeat(DEEP) + ']'.repeat(DEEP),
  '{"a":'.repeat(DEEP) + '1' + '}'.repeat(DEEP),
];

const longTexts = ({ maxLength }: Schema): ReadonlyArray<string> =>
  maxLength === undefined
    ? []
    : [maxLength, maxLength + 1].flatMap((length) => ['x'.repeat(length), '𝒳'.repeat(length)]);

const smallNumbers = ({ minimum }: Schema): ReadonlyArray<number> =>
  minimum === undefined ? [] : [minimum, minimum - 1, minimum - Number.MIN_VALUE];

const itemLists = ({ items, maxItems = 50 }: Schema): ReadonlyArray<unknown> => {
  if (items === undefined) return [];
  const texts = [...hostileTexts, ...halves, ...longTexts({ maxLength: 64, ...items })];
  const distinct = (count: number): ReadonlyArray<string> => Array.from({ length: count }, (_, index) => `t${index}`);
  return [...texts.map((text) => [text]), distinct(maxItems), distinct(maxItems + 1), ['a', 'a']];
};

/**
 * What no schema can say of a field: JSON Schema has no word for a URL that a browser would take, for tags within one
 * text, and for lone surrogates. docs/api.md says it.
 */
const beyondSchema: Readonly<
  Record<string, { readonly valid: ReadonlyArray<unknown>; readonly invalid: ReadonlyArray<unknown> }>
> = {
  website: {
    valid: ['acme.example', 'acme.example:80', 'localhost', 'https://acme.example/x?y#z', 'http://[::1]:80/', '', null],
    invalid: ['javascript:alert(1)', 'ftp://acme.example', 'a b', 'http://', 'localhost:80', 'acme.example/path', '-'],
  },
};
const formTags = {
  valid: ['', 'a', 'a,b', ' a , b ,,', '["a","b,c"]', '[]', 'ç,𝒳'],
  invalid: ['x'.repeat(65), Array.from({ length: 51 }, (_, index) => `t${index}`).join(','), '[1]', '["a\\u0000b"]'],
};

/** The texts of a value that may have some: it is one, or a list of them. */
const textsIn = (value: unknown): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : [value]).filter((item): item is string => typeof item === 'string');

const HALF = /\p{Surrogate}/u;
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f]/;

const isLongList = (value: unknown): boolean =>
  Array.isArray(value) && (new Set(value).size > 50 || textsIn(value).some((text) => Array.from(text).length > 64));

/** A pattern that asks for a character that is seen knows most of those that are not: this one is among them. */
const BRAILLE_BLANK = '\\u2800';

/**
 * Whether the contract refuses a value whatever its schema says: controls where no pattern tells of any, halves of
 * surrogate pairs, what nobody sees, and too many or too long tags, which are counted only when each is there once.
 */
const isRefusedAnyhow = (value: unknown, { pattern }: Schema): boolean =>
  isLongList(value) ||
  textsIn(value).some(
    (text) =>
      HALF.test(text) ||
      (pattern === undefined && CONTROL.test(text)) ||
      (pattern?.includes(BRAILLE_BLANK) === true && text !== '' && isBlank(text)),
  );

/** Tags are trimmed before they are looked at, which no schema can say. */
const isTrimmed = (value: unknown): boolean =>
  Array.isArray(value) && textsIn(value).some((text) => text !== '' && text !== text.trim());

const jsonTexts = (values: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  values.filter((value) => !isTrimmed(value)).map((value) => JSON.stringify(value));

/** Values of every kind, whatever the field is. */
const commonTexts = (schema: Schema, seed: number): ReadonlyArray<string> => {
  const drawn = fc.sample(arbitraryOf(schema), { seed, numRuns: DRAWN });
  return [...jsonTexts([...drawn, ...hostileTexts, ...plainTexts, ...others]), ...rawTexts];
};

/** Values at the limits of a field, and just beyond. */
const edgeTexts = (name: string, schema: Schema): ReadonlyArray<string> => {
  const { valid = [], invalid = [] } = beyondSchema[name] ?? {};
  const texts = [' ', 'a\u0000b', 'a\nb', ...halves, ...longTexts(schema)];
  return [...jsonTexts([...texts, ...smallNumbers(schema), ...itemLists(schema), ...valid, ...invalid]), '1e999'];
};

/** Two lists in turns, so that one of few comes up as often as one of many. */
const inTurns = <A>(some: ReadonlyArray<A>, others: ReadonlyArray<A>): ReadonlyArray<A> => {
  if (some.length === 0 || others.length === 0) return [...some, ...others];
  const both = [...some, ...others].map((_, index) => [some[index % some.length], others[index % others.length]]);
  return both.flat().filter((value) => value !== undefined);
};

/** What an address is of: fields of text that take a number as its text, which the document leaves out. */
const ADDRESS = new Set(['line1', 'line2', 'city', 'state', 'zip', 'country']);

/** Whether a field takes a value; undefined where nobody has said. */
type Verdict = (value: unknown) => boolean | undefined;

const verdictOf = (name: string, schema: Schema, validate: ValidateFunction): Verdict => {
  const said = beyondSchema[name];
  const takes = new Set(said?.valid);
  const refuses = new Set(said?.invalid);
  return (value) => {
    if (typeof value === 'number' && ADDRESS.has(name)) return Number.isFinite(value);
    if (isRefusedAnyhow(value, schema) || refuses.has(value) || !validate(value)) return false;
    return said === undefined || takes.has(value) ? true : undefined;
  };
};

const split = (texts: ReadonlyArray<string>, verdict: Verdict): Values => {
  const judged = texts.map((text) => ({ text, isTaken: verdict(JSON.parse(text)) }));
  const those = (isTaken: boolean): ReadonlyArray<string> =>
    judged.filter((one) => one.isTaken === isTaken).map(({ text }) => text);
  return { valid: those(true), invalid: those(false) };
};

/** Makes values by schema: ajv tells which of many candidates a schema takes, so that document and service are compared. */
export const makeValues = (): ((seed: number) => ValuesOf) => {
  const ajv = new Ajv2020.default({ strict: false, strictNumbers: true });
  addFormats.default(ajv);
  const validators = new Map<string, ValidateFunction>();
  const validatorOf = (schema: Schema): ValidateFunction => {
    const text = JSON.stringify(schema);
    const validate = validators.get(text) ?? ajv.compile(schema);
    validators.set(text, validate);
    return validate;
  };
  const valuesOf = (name: string, schema: Schema, seed: number): Values => {
    const verdict = verdictOf(name, schema, validatorOf(schema));
    const common = split(commonTexts(schema, seed), verdict);
    const edges = split(edgeTexts(name, schema), verdict);
    return { valid: inTurns(common.valid, edges.valid), invalid: inTurns(common.invalid, edges.invalid) };
  };
  return (seed) => {
    const made = new Map<string, Values>();
    return (name, schema) => {
      const key = `${name} ${JSON.stringify(schema)}`;
      const values = made.get(key) ?? valuesOf(name, schema, seed + made.size);
      made.set(key, values);
      return values;
    };
  };
};

const isText = (text: string): boolean => text.startsWith('"');

/** The values of a field of form data, where all are texts. */
export const formValues = (valuesOf: ValuesOf, name: string, schema: Schema): Values => {
  if (name === 'tags') return formTags;
  const { valid, invalid } = valuesOf(name, schema);
  const texts = (of: ReadonlyArray<string>): ReadonlyArray<string> =>
    of
      .filter((text) => isText(text))
      .map((text) => JSON.parse(text) as string) // reason: a JSON text in quotes is a string
      .filter((text) => !HALF.test(text));
  return { valid: texts(valid), invalid: texts(invalid) };
};
