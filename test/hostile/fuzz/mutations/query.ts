import { type Context, type Draft, type Mutation, without, withPair } from '../draft.js';
import { anything, invalid, only } from '../expectation.js';
import { isAboutFile, type Operation, queryOf } from '../operations.js';
import { parameterTexts } from '../parameter-texts.js';

const hasQuery = (operation: Operation): boolean => queryOf(operation).length > 0;
const takesParameter =
  (name: string) =>
  (operation: Operation): boolean =>
    queryOf(operation).some((parameter) => parameter.name === name);
const takesAfter = takesParameter('after');
const takesPast = takesParameter('at');

const ODD = [
  ...['%', '%zz', '%ff', '%ed%a0%80', '&&&', '=', '=x', '+', '?', 'x[]=1&x[0]=2&x[a][b]=3', ';', 'a;b=c', '%00=%00'],
  ...['__proto__=1&constructor=2', '__proto__[limit]=1', 'hasOwnProperty=1', 'x='.padEnd(6000, 'x'), 'a&'.repeat(2000)],
];

const addUnknown = (draft: Draft, { random }: Context): void => {
  const name = random.pick(['foo', '__proto__', 'constructor', 'toString', 'limit[]', ' limit', 'Limit', 'length', '']);
  draft.query = [...draft.query, [name, random.pick(['', '1', '\u0000', 'ç', 'null'])]];
  // what is for auditors ignores nothing
  if (draft.operation.template.startsWith('/audit/')) draft.expects = invalid(name);
};

const foreignCursor = ({ operation }: Draft, { state, random, unique }: Context): string => {
  const listed = state.listedBy(operation) ?? '';
  const foreign = state.recordNames().filter((name) => name !== listed);
  const others = foreign.flatMap((name) => state.records(name)).map(({ id }) => id);
  return random.pick(['x', unique, '00000000-0000-7000-8000-000000000000', '%', 'null', ...others]);
};

/** Query parameters. */
export const query: ReadonlyArray<Mutation> = [
  {
    name: 'with parameters that are malformed',
    weight: 3,
    suits: hasQuery,
    apply: (draft, { random }) => {
      const faulty = queryOf(draft.operation)
        .map(({ name, schema }) => ({ name, texts: parameterTexts(random, schema).invalid }))
        .filter(({ texts }) => texts.length > 0);
      const chosen = random.shuffled(faulty).slice(0, 1 + random.int(3));
      for (const { name, texts } of chosen) draft.query = withPair(draft.query, name, random.pick(texts));
      if (chosen.length > 0) draft.expects = invalid(...chosen.map(({ name }) => name));
    },
  },
  {
    name: 'with a parameter given twice',
    suits: hasQuery,
    apply: (draft, { random }) => {
      const { name, schema } = random.pick(queryOf(draft.operation));
      const { valid } = parameterTexts(random, schema);
      const [first = 'x', second = first] = [...random.shuffled(valid)];
      draft.query = [...without(draft.query, name), [name, first], [name, second]];
      // an owner may be named twice, if it is the same
      draft.expects = name === 'ownerId' ? only(400, 404) : invalid(name);
    },
  },
  {
    name: 'with a parameter that nobody knows',
    suits: () => true,
    apply: addUnknown,
  },
  {
    name: 'with an odd query',
    suits: () => true,
    apply: (draft, { random }) => {
      draft.rawQuery = random.pick(ODD);
      draft.expects = anything;
    },
  },
  {
    name: 'after what was never in the list',
    suits: takesAfter,
    apply: (draft, context) => {
      draft.query = withPair(draft.query, 'after', foreignCursor(draft, context));
      draft.expects = invalid('after');
    },
  },
  {
    name: 'of a revision and an instant at once',
    suits: takesPast,
    apply: (draft) => {
      draft.query = [...without(draft.query, 'revision', 'at'), ['revision', '0'], ['at', '2026-01-01T00:00:00Z']];
      draft.expects = invalid('at');
    },
  },
  {
    name: 'of its first revision',
    weight: 2,
    suits: takesPast,
    apply: (draft) => {
      draft.query = [['revision', '0']];
      draft.expects = isAboutFile(draft.operation) ? only(200, 404) : only(200);
    },
  },
  {
    name: 'in pages',
    weight: 2,
    suits: takesParameter('limit'),
    apply: (draft, { random, state }) => {
      const [link = ''] = random.shuffled(state.links.filter((path) => path.split('?')[0] === draft.path));
      if (link === '') draft.query = [['limit', '1']];
      else {
        draft.query = [];
        draft.isFollowing = true;
        draft.rawQuery = link.slice(draft.path.length + 1);
      }
      draft.expects = only(200);
    },
  },
];
