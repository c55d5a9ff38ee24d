import { FORM_TYPE, formOf, type Part } from '../../../support/multipart-form.js';
import type { Context, Draft, Mutation } from '../draft.js';
import { anything, error, invalid, only } from '../expectation.js';
import type { Operation } from '../operations.js';
import { fileContent } from '../valid-draft.js';
import { formValues } from '../values.js';

const takesForm = ({ form }: Operation): boolean => form !== undefined;

/** What the service has to be started with, so that it takes little to exceed it. */
export const MAX_UPLOAD_BYTES = 1_000_000;
export const TOO_LARGE = MAX_UPLOAD_BYTES + 1;
const FIELD_LIMIT = 64 * 1024;

const file = (context: Context, more: Partial<Part> = {}): Part => ({
  name: 'file',
  content: fileContent(context),
  filename: 'report.pdf',
  ...more,
});
const field = (name: string, content: string | Buffer): Part => ({ name, content });

/** Parts that are in good order, whatever the body of the draft was. */
const goodParts = (context: Context): ReadonlyArray<Part> => [field('name', context.unique), file(context)];

const fillers = (count: number): ReadonlyArray<Part> =>
  Array.from({ length: count }, (_, index) => field(`x${index}`, 'x'));

const send = (draft: Draft, parts: ReadonlyArray<Part>): void => {
  draft.body = { _tag: 'Form', parts };
  draft.isPlain = false;
};

const raw = (draft: Draft, bytes: Buffer, type: string): void => {
  draft.body = { _tag: 'Raw', bytes, type };
  draft.isPlain = false;
};

/** Forms that break a rule of docs/api.md, with what is then at fault. */
const faultyForms = (context: Context): ReadonlyArray<readonly [parts: ReadonlyArray<Part>, fault: string]> => {
  const good = goodParts(context);
  const hole = `tags[${context.random.pick([65, 99_999, 4_294_967_294])}]`;
  return [
    [[...good, file(context)], 'file'],
    [[...good, file(context, { name: 'other' })], 'other'],
    [[...good, ...fillers(63)], ''],
    [[...good, field('x'.repeat(101), 'x')], ''],
    [[...good, field(hole, 'x')], hole],
    [[...good, field('description', 'x'.repeat(FIELD_LIMIT + 1))], 'description'],
    [[...good, field('description', 'x'.repeat(10_001))], 'description'],
    [[field('name', 'x'.repeat(256)), file(context)], 'name'],
    [[field('name', ' '), file(context)], 'name'],
    [[field('name', 'a\u0000b'), file(context)], 'name'],
    [[field('name', 'a'), field('name', 'b'), file(context)], 'name'],
    [[...good, field('type', 'business')], 'type'],
    [[...good, field('entity[x]', 'a')], 'entity'],
  ];
};

const NAMES = [
  '__proto__',
  '__proto__[x]',
  'constructor[prototype]',
  'a[b][c][d]',
  'a[',
  'a[]]',
  '[0]',
  'toString',
  'file',
  '',
];
const FILE_NAMES = [
  '..',
  '.',
  'x/',
  '/etc/passwd',
  'C:\\x',
  '',
  ' ',
  'a\u0001b',
  'ç𝒳.pdf',
  '%22%0D%0A',
  'x'.repeat(3000),
  '\u202e.exe',
];
const TYPES = [
  'text/html',
  'x',
  'image/png; charset=x',
  `text/${'x'.repeat(300)}`,
  'multipart/mixed; boundary=x',
  'application/json',
];

const oddParts = (context: Context): ReadonlyArray<Part> => {
  const { random } = context;
  const index = random.pick(['0', '63', '64', '99999', '4294967294', '4294967295', '-1', 'x', '']);
  return [
    field('name', context.unique),
    field(random.pick(NAMES), 'x'),
    field(`tags[${index}]`, random.pick(['a', ' b ', 'c,d', '["e"]'])),
    field('description', Buffer.from(random.pick(['ff', 'c3a7', 'eda080', 'efbbbf61', '00']), 'hex')),
    file(context, { filename: random.pick(FILE_NAMES), type: random.pick(TYPES) }),
  ];
};

const brokenForms = (whole: Buffer): ReadonlyArray<readonly [bytes: Buffer, type: string]> => [
  [whole.subarray(0, -30), FORM_TYPE],
  [whole.subarray(0, 100), FORM_TYPE],
  [whole, 'multipart/form-data'],
  [whole, 'multipart/form-data; boundary=other'],
  [Buffer.from('x'.repeat(1000)), FORM_TYPE],
  [Buffer.alloc(0), FORM_TYPE],
];

/** Forms of which the parser drops parts. */
const droppedForms = (whole: Buffer): ReadonlyArray<readonly [bytes: Buffer, type: string]> => [
  [whole, 'multipart/form-data; boundary='],
  [Buffer.from(whole.toString('latin1').replaceAll('Content-Disposition', 'X-Disposition'), 'latin1'), FORM_TYPE],
];

/** `multipart/form-data`. */
export const form: ReadonlyArray<Mutation> = [
  {
    name: 'with a form',
    weight: 2,
    suits: takesForm,
    apply: (draft, context) => {
      send(draft, [...goodParts(context), ...fillers(context.random.pick([0, 0, 62]))]);
    },
  },
  {
    name: 'with a field of a form that is not as described',
    weight: 2,
    suits: takesForm,
    apply: (draft, context) => {
      const { random, valuesOf } = context;
      const fields = Object.entries(draft.operation.form?.properties ?? {}).filter(
        ([, { format }]) => format !== 'binary',
      );
      const [name, schema] = random.pick(fields);
      const { invalid: texts } = formValues(valuesOf, name, schema);
      if (texts.length === 0) return;
      send(draft, [...goodParts(context).filter((part) => part.name !== name), field(name, random.pick(texts))]);
      draft.expects = invalid(name);
    },
  },
  {
    name: 'with a form that breaks a rule',
    weight: 2,
    suits: takesForm,
    apply: (draft, context) => {
      const [parts, fault] = context.random.pick(faultyForms(context));
      send(draft, parts);
      draft.expects = invalid(fault);
    },
  },
  {
    name: 'with a form that lacks what it needs',
    suits: ({ form: schema }) => (schema?.required ?? []).length > 0,
    apply: (draft, context) => {
      const name = context.random.pick(draft.operation.form?.required ?? []);
      send(
        draft,
        goodParts(context).filter((part) => part.name !== name),
      );
      draft.expects = invalid(name);
    },
  },
  {
    name: 'with a file that is too large',
    suits: takesForm,
    apply: (draft, context) => {
      const size = context.random.pick([TOO_LARGE, TOO_LARGE + 600_000]);
      send(draft, [field('name', 'large'), file(context, { content: Buffer.alloc(size, 'x') })]);
      draft.isChunked = context.random.chance(0.3);
      draft.expects = error(413, 'Payload Too Large');
    },
  },
  {
    name: 'with a form that is broken off or has no boundary',
    suits: takesForm,
    apply: (draft, context) => {
      const [bytes, type] = context.random.pick(brokenForms(formOf(...goodParts(context))));
      raw(draft, bytes, type);
      draft.expects = only(400);
    },
  },
  {
    name: 'with a form whose parts nobody can tell',
    suits: takesForm,
    apply: (draft, context) => {
      const [bytes, type] = context.random.pick(droppedForms(formOf(...goodParts(context))));
      raw(draft, bytes, type);
      draft.expects = only(400, 200);
    },
  },
  {
    name: 'with a compressed form',
    suits: takesForm,
    apply: (draft, context) => {
      send(draft, goodParts(context));
      draft.headers = [...draft.headers, ['Content-Encoding', 'gzip']];
      draft.expects = error(415, 'Unsupported Media Type');
    },
  },
  {
    name: 'with an odd form',
    weight: 3,
    suits: takesForm,
    apply: (draft, context) => {
      send(draft, oddParts(context));
      draft.expects = anything;
    },
  },
];
