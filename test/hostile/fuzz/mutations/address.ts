import { type Context, type Draft, type Mutation, without, withPair } from '../draft.js';
import { anything, error, invalid, only } from '../expectation.js';
import { type Operation, pathNames } from '../operations.js';
import type { KnownRecord } from '../session-state.js';
import { partNameOf } from '../valid-draft.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'SEARCH', 'M-SEARCH', 'PURGE'];

const RECORDLESS = '00000000-0000-7000-8000-000000000000';

const names = (template: string): boolean => pathNames(template).length > 0;
const namesRecord = ({ template }: Operation): boolean => template.includes('{') && template.startsWith('/api/');

/** Identifiers that were never given out, percent-encoded or badly so. */
const strangeIds = ({ id }: KnownRecord, { random }: Context): ReadonlyArray<string> => [
  ...[RECORDLESS, id.toUpperCase(), `${id}x`, `%20${id}`, id.replaceAll('-', ''), `{${id}}`, id.slice(1)],
  ...['x', '0', '-1', '..', '%2e%2e', '%2F', '%2e%2e%2f%2e%2e%2fetc%2fpasswd', '%00', '%0d%0aSet-Cookie:x', '*', "'--"],
  ...['%', '%zz', '%e0%a4%a', '%ff', '%ed%a0%80', '%25', '__proto__', 'constructor', 'null', 'undefined', 'NaN', ':id'],
  ...['x'.repeat(5000), '%F0%9D%92%B3'.repeat(400), `${id.replace('-', '%2D')}${random.int(10)}`],
];

const documentedMethods = (template: string, { operations }: Context): ReadonlyArray<string> => {
  const methods = operations.filter((other) => other.template === template).map(({ method }) => method);
  return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
};

const isNowhere = (path: string, { operations }: Context): boolean =>
  // the root is not described: it leads to /docs
  path !== '/' &&
  operations.every(({ template }) => {
    const shape = template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+');
    return !new RegExp(`^${shape}/?$`).test(path);
  });

const strangePaths = (path: string): ReadonlyArray<string> => [
  `${path}/x`,
  `${path}//`,
  `/${path}`,
  `/x${path}`,
  path.replace('/', '//'),
  path.toUpperCase(),
  path.replace('v1', 'v2'),
  path.replace('/api', '/%61pi'),
  `${path};x=y`,
  `${path}%2f`,
  `${path}%00`,
  `/..${path}`,
  `/./${path.slice(1)}`,
  '/',
  '/favicon.ico',
  '/.env',
  '/__proto__',
  '/%',
  '/%ff%fe',
];

const withTarget = (draft: Draft, record: KnownRecord, id: string): void => {
  draft.path = draft.path.replace(encodeURIComponent(record.id), () => id);
};

/** Paths, identifiers and methods. */
export const address: ReadonlyArray<Mutation> = [
  {
    name: 'of what was never there',
    weight: 2,
    suits: namesRecord,
    apply: (draft, context) => {
      if (draft.record === undefined) return;
      withTarget(draft, draft.record, context.random.pick(strangeIds(draft.record, context)));
      draft.expects = only(404);
    },
  },
  {
    name: 'of a record of another kind, or a deleted one',
    weight: 2,
    // a restore is of a deleted one
    suits: (operation) => namesRecord(operation) && !operation.template.endsWith('/restore'),
    apply: (draft, context) => {
      const { state, random } = context;
      const own = state.recordNameOf(draft.operation) ?? '';
      const deleted = state.records(own, true);
      if (draft.record === undefined || deleted.length === 0) return;
      withTarget(draft, draft.record, random.pick(deleted).id);
      const isPast = draft.query.some(([name]) => name === 'revision' || name === 'at');
      const isOfHistory = /\/events(\/link)?$/.test(draft.operation.template);
      draft.expects = isOfHistory ? only(200) : isPast ? only(200, 404) : only(404);
    },
  },
  {
    name: 'of an owner that is none',
    suits: ({ template, method }) => method !== 'GET' && /owner/.test(template) && method !== 'POST',
    apply: (draft, context) => {
      const name = partNameOf(draft.operation, context);
      if (name === undefined || draft.part === undefined) return;
      draft.query = draft.query.map(([key, value]) => [key, key === name ? context.unique : value]);
      draft.path = draft.path.replace(/(owner\/).*$/, `$1${context.unique}`);
      draft.body = { _tag: 'None' };
      draft.expects = only(404);
    },
  },
  {
    name: 'of two owners at once, or of none',
    suits: ({ parameters, method }) => method !== 'GET' && parameters.some(({ name }) => name === 'ownerId'),
    apply: (draft, context) => {
      const isOne = names(draft.operation.template.replace('{businessId}', ''));
      if (!isOne && context.random.chance(0.5)) {
        draft.query = without(draft.query, 'ownerId');
        draft.body = { _tag: 'None' };
      } else draft.query = [...withPair(draft.query, 'ownerId', context.unique), ['ownerId', `${context.unique}x`]];
      draft.expects = invalid('ownerId');
    },
  },
  {
    name: 'by another method',
    weight: 2,
    suits: () => true,
    apply: (draft, context) => {
      const known = documentedMethods(draft.operation.template, context);
      draft.method = context.random.pick(METHODS.filter((method) => !known.includes(method)));
      draft.expects = error(405, 'Method Not Allowed');
    },
  },
  {
    name: 'what it takes (OPTIONS)',
    suits: () => true,
    apply: (draft) => {
      draft.method = 'OPTIONS';
      draft.body = { _tag: 'None' };
      draft.expects = only(204);
    },
  },
  {
    name: 'by no method at all',
    suits: () => true,
    apply: (draft, { random }) => {
      draft.method = random.pick(['FOO', 'GETT', 'X-Y', '__PROTO__']);
      draft.expects = only(501);
    },
  },
  {
    name: 'at a strange path',
    weight: 2,
    suits: () => true,
    apply: (draft, context) => {
      draft.path = context.random.pick(strangePaths(draft.path));
      draft.expects = isNowhere(draft.path, context) ? error(404, 'Not Found') : anything;
    },
  },
  {
    name: 'with a slash at its end',
    suits: () => true,
    apply: (draft) => {
      draft.path = `${draft.path}/`;
    },
  },
  {
    name: 'by an absolute address',
    suits: () => true,
    apply: (draft) => {
      draft.path = `http://elsewhere.example${draft.path}`;
    },
  },
  {
    name: 'at a path longer than headers may be',
    suits: () => true,
    apply: (draft) => {
      draft.path = `${draft.path}/${'x'.repeat(17_000)}`;
      draft.expects = only(431);
    },
  },
  {
    name: 'with headers longer than they may be',
    suits: () => true,
    apply: (draft, { random }) => {
      const filler = random.pick([
        [['X-Filler', 'x'.repeat(17_000)]],
        Array.from({ length: 700 }, (_, n) => [`X-${n}`, 'x'.repeat(20)]),
      ]);
      draft.headers = [...draft.headers, ...filler.map(([name = '', value = '']) => [name, value] as const)];
      draft.expects = only(431);
    },
  },
];
