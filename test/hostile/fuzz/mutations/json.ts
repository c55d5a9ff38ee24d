import { type Context, type Draft, type Pairs, type Mutation, without, withPair } from '../draft.js';
import { error, invalid, only } from '../expectation.js';
import { addsPart, documents, type Operation } from '../operations.js';
import type { KnownRecord } from '../session-state.js';
import { asDescribed } from './as-described.js';

const takesJson = ({ json }: Operation): boolean => json !== undefined;
const takesNone = ({ json, form, isOfFile }: Operation): boolean =>
  json === undefined && form === undefined && !isOfFile;

/** Whether the service looks at all at a body that is not as described: beside a DELETE it is passed over. */
const isRead = ({ operation }: Draft): boolean => documents(operation, 415);

const JSON_TYPE = 'application/json';
const LIMIT = 256 * 1024;
const DEEP = 90;

const raw = (draft: Draft, bytes: string | Buffer, type: string | undefined = JSON_TYPE): void => {
  draft.body = { _tag: 'Raw', bytes: Buffer.from(bytes), type };
  draft.isPlain = false;
};

const membersOf = ({ operation, body, part }: Draft, { valuesOf, random }: Context): Pairs => {
  if (body._tag === 'Json') return body.members;
  const { properties = {}, required = [] } = operation.json ?? {};
  const named = Object.entries(properties).filter(([key]) => required.includes(key));
  return part === undefined ? named.map(([key, schema]) => [key, random.pick(valuesOf(key, schema).valid)]) : [];
};

const textOf = (members: Pairs): string =>
  `{${members.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`;

const broken = (text: string): ReadonlyArray<string | Buffer> => [
  ...[
    text.slice(0, -1),
    `${text}}`,
    `${text}{}`,
    `${text} // x`,
    `,${text}`,
    text.replaceAll('"', "'") + "'",
    `${text}\u0000`,
  ],
  ...[
    '{',
    '[',
    '"',
    'nul',
    'NaN',
    'undefined',
    '{"a":}',
    '{a:1}',
    '{"a":1,}',
    '[1,]',
    '{"a":01}',
    '{"a":"\n"}',
    '{"a":"\\x"}',
  ],
  ...[' ', '\n', '\ufeff', '{"a":"\\ud83"}', '['.repeat(DEEP), '{"a":'.repeat(DEEP), '-', '1.', '.1', '+1', 'Infinity'],
  ...['eda080', '7b22ff223a317d', 'c080', 'fffe7b007d00', '00', 'f4908080'].map((hex) => Buffer.from(hex, 'hex')),
];

const NO_OBJECTS = [
  'null',
  'true',
  '0',
  '1e999',
  '"x"',
  '[]',
  '[{}]',
  '['.repeat(DEEP) + ']'.repeat(DEEP),
  '"__proto__"',
];

const OTHER_TYPES = [
  ...['text/plain', 'text/json', 'application/x-www-form-urlencoded', 'application/xml', 'application/octet-stream'],
  ...['application/jsonp', 'application/json+x', 'x', '', '/', 'application/json; charset=utf-16', 'json'],
  ...['application/json;charset=iso-8859-1', 'application/json; charset=utf-7', 'application/json, text/plain'],
];

const SAME_TYPES = [
  'APPLICATION/JSON',
  'application/json;',
  'application/json ; charset="UTF-8"',
  'application/json; x=y',
];

/** Ways to write the same members that a reader of JSON has to understand. */
const sameMembers = (members: Pairs): ReadonlyArray<string> => {
  const text = textOf(members);
  const inner = text.slice(1, -1);
  const more = (extra: string): string => `{${[extra, inner].filter((part) => part !== '').join(',')}}`;
  const doubled = members.map(([key]) => `${JSON.stringify(key)}:{"a":[1e999]}`).join(',');
  return [
    `\ufeff${text}`,
    ` \t\r\n${text}\n`,
    more(doubled),
    more('"__proto__":{"name":5},"constructor":{"prototype":1},"toString":null,"hasOwnProperty":1'),
    more(`"unknown":${'['.repeat(DEEP)}${']'.repeat(DEEP)}`),
    more('"unknown":1e999,"":"","\\u0000":"\\u0000","\\ud800":"\\udc00"'),
    more('"_id":"x","owners":[],"uploadedBy":"x","revision":-1,"status":500'),
    more(`"unknown":"${'x'.repeat(100_000)}"`),
    more(Array.from({ length: 5000 }, (_, index) => `"k${index}":${index}`).join(',')),
  ];
};

/** Several fields at once, as all faults of a request are reported together. */
const faultyFields = (draft: Draft, context: Context): void => {
  const { random, valuesOf } = context;
  const fields = Object.entries(draft.operation.json?.properties ?? {}).filter(([key]) => key !== 'displayname');
  const chosen = random.shuffled(fields).slice(0, 1 + random.int(4));
  let members = without(membersOf(draft, context), 'displayname');
  for (const [key, schema] of chosen) members = withPair(members, key, random.pick(valuesOf(key, schema).invalid));
  draft.body = { _tag: 'Json', members };
  draft.expects = invalid(...chosen.map(([key]) => key));
};

const hasParts = ({ parts }: KnownRecord): boolean => [...parts.values()].flat().length > 0;

const encodings: ReadonlyArray<string> = ['gzip', 'deflate', 'br', 'x', 'gzip, gzip', ''];

/** JSON bodies. */
export const json: ReadonlyArray<Mutation> = [
  { name: 'with fields that are not as described', weight: 6, suits: takesJson, apply: faultyFields },
  {
    name: 'without a field that it needs',
    suits: ({ json: schema }) => (schema?.required ?? []).length > 0,
    apply: (draft, context) => {
      const key = context.random.pick(draft.operation.json?.required ?? []);
      draft.body = { _tag: 'Json', members: without(membersOf(draft, context), key) };
      draft.expects = invalid(key);
    },
  },
  {
    name: 'of what is there already',
    weight: 2,
    suits: addsPart,
    before: (operation, { state }) =>
      state.records(state.recordNameOf(operation) ?? '').some(hasParts) ? undefined : asDescribed,
    apply: (draft, { state, random }) => {
      const records = state.records(state.recordNameOf(draft.operation) ?? '').filter(hasParts);
      if (draft.record === undefined || records.length === 0) return;
      const other = random.pick(records);
      draft.path = draft.path.replace(draft.record.id, other.id);
      draft.record = other;
      draft.body = { _tag: 'Json', members: [['user', JSON.stringify(random.pick([...other.parts.values()].flat()))]] };
      draft.expects = only(409);
    },
  },
  {
    name: 'that is its own parent',
    suits: ({ json: schema, template }) => schema?.properties?.['parent'] !== undefined && template.includes('{'),
    apply: (draft) => {
      if (draft.record === undefined) return;
      draft.body = { _tag: 'Json', members: [['parent', JSON.stringify(draft.record.id)]] };
      draft.expects = invalid('parent');
    },
  },
  {
    name: 'with what is no JSON',
    weight: 2,
    suits: takesJson,
    apply: (draft, context) => {
      raw(draft, context.random.pick(broken(textOf(membersOf(draft, context)))));
      if (isRead(draft)) draft.expects = invalid('');
    },
  },
  {
    name: 'with JSON that is no object',
    suits: takesJson,
    apply: (draft, { random }) => {
      raw(draft, random.pick(NO_OBJECTS));
      if (isRead(draft)) draft.expects = invalid('');
    },
  },
  {
    name: 'with a body of another type',
    suits: takesJson,
    apply: (draft, context) => {
      raw(draft, textOf(membersOf(draft, context)), context.random.pick(OTHER_TYPES));
      if (isRead(draft)) draft.expects = error(415, 'Unsupported Media Type');
    },
  },
  {
    name: 'with a compressed body',
    suits: takesJson,
    apply: (draft, context) => {
      draft.body = { _tag: 'Json', members: membersOf(draft, context) };
      draft.headers = [...draft.headers, ['Content-Encoding', context.random.pick(encodings)]];
      if (isRead(draft)) draft.expects = error(415, 'Unsupported Media Type');
    },
  },
  {
    name: 'with JSON that is too long',
    suits: (operation) => takesJson(operation) && documents(operation, 413),
    apply: (draft, context) => {
      raw(draft, textOf(membersOf(draft, context)).padEnd(LIMIT + 1));
      draft.isChunked = context.random.chance(0.3);
      draft.expects = error(413, 'Payload Too Large');
    },
  },
  {
    name: 'with JSON written in another way',
    weight: 2,
    suits: takesJson,
    apply: (draft, context) => {
      const members = membersOf(draft, context);
      draft.body = { _tag: 'Json', members };
      raw(draft, context.random.pick(sameMembers(members)), context.random.pick([JSON_TYPE, ...SAME_TYPES]));
    },
  },
  {
    name: 'without a body',
    suits: takesJson,
    apply: (draft) => {
      const [needed] = draft.operation.json?.required ?? [];
      draft.body = { _tag: 'None' };
      if (needed !== undefined) draft.expects = invalid(needed);
    },
  },
  {
    name: 'in chunks, to be continued',
    suits: takesJson,
    apply: (draft, { random }) => {
      draft.isChunked = draft.body._tag !== 'None';
      if (random.chance(0.5) && draft.isChunked)
        draft.headers = [...draft.headers, ['Expect', random.pick(['100-continue', 'x'])]];
    },
  },
  {
    name: 'with a body that nobody asked for',
    suits: takesNone,
    apply: (draft, { random }) => {
      const bytes = random.pick(['{}', 'x', '\u0000', 'x'.repeat(LIMIT + 1)]);
      draft.body = {
        _tag: 'Raw',
        bytes: Buffer.from(bytes),
        type: random.pick([JSON_TYPE, 'text/plain', 'multipart/form-data']),
      };
    },
  },
];
