import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type * as t from 'io-ts';
import { FieldsType } from '../../src/http/fields/fields-type.js';
import type { JsonSchema } from '../../src/http/fields/json-schema.js';
import { LedgerParameters } from '../../src/http/audit/parameters.js';
import { ReadsParameters } from '../../src/http/audit/reads-parameters.js';
import { businessOperations } from '../../src/http/business/operations.js';
import { documentOperations } from '../../src/http/document/operations.js';
import type { OperationDescription } from '../../src/http/openapi/operation-description.js';
import { makeSchemaOf } from '../../src/http/openapi/schema-of.js';

const { schemaOf } = makeSchemaOf();

type Asking = Pick<OperationDescription, 'body' | 'query'>;

const ofRecords: Readonly<Record<string, OperationDescription>> = { ...businessOperations, ...documentOperations };

const operations: Readonly<Record<string, Asking>> = {
  ...ofRecords,
  listAllEvents: { query: LedgerParameters },
  listReads: { query: ReadsParameters },
};

const letters = (count: number): string => 'x'.repeat(count);
const smileys = (count: number): string => '🙂'.repeat(count);
const distinct = (count: number): ReadonlyArray<string> => Array.from({ length: count }, (_, index) => `tag ${index}`);

const texts = [
  ...['', ' ', 'a', ' a ', 'acme.example', 'Document', 'true', 'asc', '0', '7', '1000', '1001', '-1', '1.5'],
  ...['a\u0000b', 'a\u001f', 'a\tb', 'a\nb', '\t', '\u007f', '\u0085', '\u2028', '\ufeff', '2026-01-31T12:00:00Z'],
  ...[
    '.',
    '..',
    '...',
    '. ',
    './\u200b',
    'a/..',
    '.a',
    'a.',
    '..\\a',
    ',',
    'a,b',
    ',,a',
    'Business,User',
    'User,',
    'User,x',
  ],
  ...[100, 101].map((count) => Array.from({ length: count }, (_, index) => index).join()),
  ...[64, 65, 255, 256, 1_000, 1_001, 10_000, 10_001].flatMap((count) => [letters(count), smileys(count)]),
];
const lists = [
  [],
  [''],
  [' '],
  ['a', 'a'],
  [7],
  [null],
  [letters(64)],
  [letters(65)],
  [smileys(64)],
  [smileys(65)],
  ['a\u0000b'],
  ['a\tb'],
  distinct(50),
  distinct(51),
];
const others = [null, true, 0, -0, -1, 1, 1.5, 1_001, 1e300, {}];

const codecsOf = (body: OperationDescription['body']): ReadonlyArray<t.Mixed | undefined> =>
  body === undefined || 'mediaType' in body ? [] : [body.json, body.form?.codec];

/** The properties of every codec of the requests that `kind` gives, each once, with what it belongs to. */
const propertiesOf = (kind: 'body' | 'query'): ReadonlyArray<readonly [string, t.Mixed]> => {
  const codecs = new Map<t.Mixed, string>();
  for (const [operation, { body, query }] of Object.entries(operations))
    for (const fields of kind === 'query' ? [query] : codecsOf(body))
      if (fields instanceof FieldsType)
        // reason: `instanceof` cannot tell the parameters of the type
        for (const [name, codec] of Object.entries(fields.props as Readonly<Record<string, t.Mixed>>))
          codecs.set(codec, codecs.get(codec) ?? `${name} of ${operation}`);
  return [...codecs].map(([codec, name]) => [name, codec]);
};

/** Where a codec takes more than its schema says, or the schema has no word for what it refuses; and why. */
const isExcused = (name: string, value: unknown, isDescribed: boolean): boolean => {
  // tags are counted and measured after they were trimmed and taken once each; text of a form may be a JSON array
  if (name.startsWith('tags ')) return !isDescribed || (typeof value === 'string' && value.length > 64);
  // of two types generators of clients take the second, so the number that an address takes is said in docs/api.md alone
  if (/^(line1|line2|city|state|zip|country) /.test(name)) return !isDescribed && typeof value === 'number';
  // what a letter or a digit is, not every engine of regular expressions knows
  if (name.startsWith('reason ')) return isDescribed;
  // what makes a URL or a host name is said in words
  if (name.startsWith('website ')) return isDescribed && value !== 'acme.example';
  return false;
};

const ajv = new Ajv2020.default({ strict: true, strictTypes: false });
addFormats.default(ajv);

/** What a text stands for where a schema is of something else. */
const meantBy = (text: string, { type }: JsonSchema): unknown => {
  if (type === 'integer' && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return type === 'boolean' && (text === 'true' || text === 'false') ? text === 'true' : text;
};

describe('the limits in the description of the API', () => {
  const differences = (
    name: string,
    codec: t.Mixed,
    values: ReadonlyArray<unknown>,
    meaning: (value: unknown) => unknown = (value) => value,
  ): ReadonlyArray<string> => {
    const validate = ajv.compile(schemaOf(codec));
    return values.flatMap((value) => {
      const isDescribed = validate(meaning(value));
      const isTaken = E.isRight(codec.decode(value));
      if (isDescribed === isTaken || isExcused(name, value, isDescribed)) return [];
      const shown = JSON.stringify(value).slice(0, 40);
      return `${isTaken ? 'takes' : 'refuses'} ${shown}, which is ${isDescribed ? '' : 'not '}described`;
    });
  };

  for (const [name, codec] of propertiesOf('body'))
    it(`are those of the code: ${name}`, () => {
      expect(differences(name, codec, [...texts, ...lists, ...others])).to.deep.equal([]);
    });

  for (const [name, codec] of propertiesOf('query'))
    it(`are those of the code: parameter ${name}`, () => {
      const meaning = (value: unknown) => meantBy(String(value), schemaOf(codec));
      expect(differences(name, codec, texts, meaning)).to.deep.equal([]);
    });

  it('tell how many tags there may be, how long, and without control characters', () => {
    const tags = propertiesOf('body').filter(([name]) => name.startsWith('tags '));
    expect(tags).to.have.length(2);
    for (const [, codec] of tags) {
      const validate = ajv.compile(schemaOf(codec));
      const refused = [[letters(65)], [smileys(65)], ['a\u0000b'], ['a\tb'], distinct(51), [7]];
      expect(refused.map((value) => [validate(value), E.isRight(codec.decode(value))])).to.deep.equal(
        refused.map(() => [false, false]),
      );
      const taken = [[], [letters(64)], [smileys(64)], distinct(50)];
      expect(taken.map((value) => [validate(value), E.isRight(codec.decode(value))])).to.deep.equal(
        taken.map(() => [true, true]),
      );
    }
  });
});
