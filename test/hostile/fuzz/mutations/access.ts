import type { Context, Mutation } from '../draft.js';
import { error, only } from '../expectation.js';
import { isPublic, type Operation } from '../operations.js';

const isGuarded = (operation: Operation): boolean => !isPublic(operation);

const asksForRole = (operation: Operation): boolean => isGuarded(operation) && !operation.isForAnyRole;

const allRoles = ({ operations }: Context): ReadonlyArray<string> => [
  ...new Set(operations.flatMap(({ roles }) => roles)),
];

/** Who is asking, and whether it may. */
export const access: ReadonlyArray<Mutation> = [
  {
    name: 'without a token',
    suits: isGuarded,
    apply: (draft) => {
      draft.authorization = { header: undefined };
      draft.expects = error(401, 'Unauthorized');
    },
  },
  {
    name: 'with a bad token',
    weight: 2,
    suits: isGuarded,
    apply: (draft, { random, tokens }) => {
      draft.authorization = { header: random.pick(tokens.bad) };
      draft.expects = error(401, 'Unauthorized');
    },
  },
  {
    name: 'with a token that nobody looks at',
    suits: isPublic,
    apply: (draft, { random, tokens }) => {
      draft.authorization = { header: random.pick(tokens.bad) };
    },
  },
  {
    name: 'without the role',
    weight: 2,
    suits: asksForRole,
    apply: (draft, context) => {
      const { random, tokens, subject } = context;
      const others = allRoles(context).filter((role) => !draft.operation.roles.includes(role));
      const roles = random.pick([[], ['root'], ['Admin'], ['admin '], ...others.map((role) => [role, 'nobody'])]);
      draft.authorization = { header: tokens.good(subject, roles) };
      draft.expects = error(401, 'Invalid Role');
    },
  },
  {
    name: 'for the past without its role',
    suits: ({ past }) => past.length > 0,
    apply: (draft, { random, tokens, subject }) => {
      const { roles, past } = draft.operation;
      draft.query = [[random.pick(['revision', 'at']), '0']];
      draft.authorization = {
        header: tokens.good(subject, [random.pick(roles.filter((role) => !past.includes(role)))]),
      };
      draft.expects = error(401, 'Invalid Role');
    },
  },
  {
    name: 'with all roles at once, in odd headers',
    suits: isGuarded,
    apply: (draft, context) => {
      const { random, tokens, subject } = context;
      const token = tokens.good(subject, allRoles(context));
      draft.authorization = { header: random.pick([token.replace('Bearer', 'bEARER'), token.replace(' ', '   ')]) };
      draft.headers = [
        ...draft.headers,
        ['X-Request-Id', random.pick(['', 'x'.repeat(200), 'a b', '../x', '\u00ff'])],
        ['Traceparent', random.pick(['00', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-00`, 'ff'])],
        ['Accept', random.pick(['text/html', '*/*;q=0', 'x', 'application/json;version=9'])],
        ['Origin', random.pick(['null', 'https://evil.example', 'x'])],
        ['X-HTTP-Method-Override', 'DELETE'],
        ['Cookie', 'a=b; __proto__=c'],
      ];
    },
  },
  {
    name: 'with two tokens',
    suits: isGuarded,
    apply: (draft, { tokens, subject }) => {
      draft.authorization = { header: tokens.good(subject, []) };
      draft.headers = [...draft.headers, ['Authorization', tokens.good(subject, draft.operation.roles)]];
      draft.expects = only(400);
    },
  },
];
