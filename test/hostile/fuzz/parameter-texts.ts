import type { Schema } from '../../support/arbitrary-of-schema.js';
import type { Random } from './random.js';

/** Texts of a query parameter that fit its schema, and some that do not. */
type ParameterTexts = { readonly valid: ReadonlyArray<string>; readonly invalid: ReadonlyArray<string> };

const notWhole = [
  '',
  'x',
  '-1',
  '+1',
  ' 1',
  '1 ',
  '0.5',
  '1.0',
  '1e3',
  '0x1',
  '١',
  'NaN',
  'null',
  '1e999',
  '\u0000',
  '1\n',
];

const wholeNumbers = (random: Random, { minimum = 0, maximum }: Schema): ParameterTexts => {
  const small = [0, 1, random.int(5), random.int(12), random.int(50)].map((more) => String(minimum + more));
  if (maximum === undefined) return { valid: [...small, '00', '9007199254740991', '9'.repeat(40)], invalid: notWhole };
  const beyond = [minimum - 1, maximum + 1].map(String);
  return { valid: [...small, String(maximum)], invalid: [...notWhole, ...beyond, '9'.repeat(400)] };
};

const instants: ParameterTexts = {
  valid: [
    ...['1970-01-01T00:00:00Z', '2999-12-31T23:59:59.999Z', '2016-12-31T23:59:60Z', '0001-01-01T00:00:00Z'],
    ...['2026-01-01T00:00:00+14:00', '2026-01-01t00:00:00.123456789z', '2026-01-01T00:00:00 05:30'],
  ],
  invalid: [
    ...['', 'yesterday', '2026-01-01', '2026-01-01T00:00:00', '2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z'],
    ...[
      '2026-01-01T24:00:00Z',
      '+12026-01-01T00:00:00Z',
      '2026-01-01T00:00:60Z',
      '1767225600000',
      '2026-01-01T00:00:00Z\u0000',
    ],
  ],
};

const flags: ParameterTexts = {
  valid: ['true', 'false'],
  invalid: ['', 'TRUE', '1', 'yes', 'null', 'true,false', '\u0000'],
};

const texts = ['a', 'Acme', ' ', 'ç𝒳', "'; --", '%', '*', '\u007f\u202e', '../x', '{"a":1}'];
const oddTexts = ['', '\u0000', 'a\u0001b', 'a\nb'];

const plainTexts = ({ minLength = 0, maxLength = Infinity, pattern }: Schema): ParameterTexts => {
  const isLong = (text: string): boolean => Array.from(text).length > maxLength;
  const fits = (text: string): boolean =>
    Array.from(text).length >= minLength && !isLong(text) && new RegExp(pattern ?? '', 'u').test(text);
  // all parameters at once have to fit into the head of a request
  const length = Math.min(maxLength, 255);
  const all = [...texts, 'x'.repeat(length), '𝒳'.repeat(length), 'x'.repeat(length + 1)];
  // what is odd is refused only where the document says so
  const isSaid = pattern !== undefined || minLength > 0;
  return {
    valid: all.filter(fits),
    invalid: [...all, ...oddTexts].filter((text) => !fits(text) && (isSaid || isLong(text))),
  };
};

/** Texts for a query parameter by its schema. */
export const parameterTexts = (random: Random, schema: Schema): ParameterTexts => {
  if (schema.enum !== undefined) return { valid: schema.enum.map(String), invalid: ['', 'x', 'ASC', 'null', '\u0000'] };
  if (schema.type === 'integer') return wholeNumbers(random, schema);
  if (schema.type === 'boolean') return flags;
  return schema.format === 'date-time' ? instants : plainTexts(schema);
};
