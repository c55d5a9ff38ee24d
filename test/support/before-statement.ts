import type { Pool } from 'pg';

/** The same object, one member of it replaced. */
const withMember = <A extends object>(object: A, name: keyof A, member: unknown): A =>
  new Proxy(object, {
    get: (target, key) => {
      const value: unknown = key === name ? member : Reflect.get(target, key);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

type Query = (...statement: ReadonlyArray<unknown>) => unknown;

const textOf = (statement: unknown): string => {
  const isObject = typeof statement === 'object' && statement !== null && 'text' in statement;
  return String(isObject ? statement.text : statement).trimStart();
};

/** The database, with something done before each statement that begins with `words`; it fails when that does. */
export const beforeStatement = (database: Pool, words: string, act: () => Promise<unknown>): Pool => {
  const guarded =
    (query: Query): Query =>
    (...statement) => {
      const isMeant = textOf(statement[0]).startsWith(words);
      return isMeant ? act().then(() => query(...statement)) : query(...statement);
    };
  // reason: a copy is a statement, too, and its answer no promise
  const onPool = withMember(database, 'query', guarded(database.query.bind(database) as Query));
  return withMember(onPool, 'connect', async () => {
    const client = await database.connect();
    return withMember(client, 'query', guarded(client.query.bind(client) as Query));
  });
};
