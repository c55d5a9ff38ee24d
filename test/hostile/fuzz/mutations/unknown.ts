import type { Draft, Context, Mutation } from '../draft.js';
import { invalid } from '../expectation.js';
import { isByLink, type Operation, pathNames, queryOf, takes } from '../operations.js';

/** Probes do not look at names, and a ticket that nobody gave out is 404 whatever comes with it. */
const looksAtNames = (operation: Operation): boolean => takes(operation, 'header', 'Prefer') && !isByLink(operation);

const UNKNOWN = ['foo', '__proto__', 'constructor', 'toString', 'limit[]', ' limit', 'Limit', 'ç'];

const strictly = (draft: Draft, { random }: Context): void => {
  const prefer = random.pick([
    ...['handling=strict', 'Handling="strict"', 'wait=5, handling=strict, handling=lenient'],
    'count=exact, handling=strict',
  ]);
  draft.headers = [...draft.headers, ['Prefer', prefer]];
};

/** Names that an operation does not know, where they are refused, and preferences. */
export const unknown: ReadonlyArray<Mutation> = [
  {
    name: 'with a parameter of another operation',
    suits: looksAtNames,
    apply: (draft, { operations, random }) => {
      // what the path has is taken from the query, too
      const own = [...queryOf(draft.operation).map(({ name }) => name), ...pathNames(draft.operation.template)];
      const others = operations.flatMap((operation) => queryOf(operation).map(({ name }) => name));
      const name = random.pick(others.filter((other) => !own.includes(other)));
      draft.query = [...draft.query, [name, random.pick(['', '1', 'x'])]];
      draft.expects = invalid(name);
    },
  },
  {
    name: 'asking for a count',
    suits: looksAtNames,
    apply: (draft, { random }) => {
      const prefer = random.pick(['count=exact', 'Count="exact"; x=y, count=none', 'count=planned']);
      draft.headers = [...draft.headers, ['Prefer', prefer]];
    },
  },
  { name: 'strictly, with what it knows', suits: looksAtNames, apply: strictly },
  {
    name: 'strictly, with what nobody knows',
    suits: looksAtNames,
    apply: (draft, context) => {
      strictly(draft, context);
      const { random } = context;
      const name = random.pick(UNKNOWN);
      const key = random.pick(UNKNOWN);
      const { body } = draft;
      draft.query = [...draft.query, [name, '1']];
      if (body._tag === 'Json') draft.body = { ...body, members: [...body.members, [key, '1']] };
      draft.expects = body._tag === 'Json' ? invalid(name, key) : invalid(name);
    },
  },
];
