import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** New databases on one server, by what they are for. */
export type Databases<Name extends string> = {
  readonly urls: Readonly<Record<Name, string>>;
  /** Drops them. */
  readonly leave: () => Promise<void>;
};

const within = (connectionString: string, database: string): string => {
  const url = new URL(connectionString);
  url.pathname = `/${database}`;
  return url.href;
};

/** Makes databases with names that nobody has on a server; nothing else there is touched. */
export const newDatabases = async <Name extends string>(
  connectionString: string,
  purposes: ReadonlyArray<Name>,
): Promise<Databases<Name>> => {
  const named = purposes.map((purpose) => [purpose, `bench_${purpose}_${randomUUID().slice(0, 8)}`] as const);
  const run = async (statement: (name: string) => string): Promise<void> => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    try {
      for (const [, name] of named) await client.query(statement(name));
    } finally {
      await client.end();
    }
  };
  await run((name) => `create database ${name} template template0 lc_collate 'C' lc_ctype 'C' encoding 'UTF8'`);
  const urls = Object.fromEntries(named.map(([purpose, name]) => [purpose, within(connectionString, name)]));
  return {
    urls: urls as Readonly<Record<Name, string>>, // reason: one for each purpose
    leave: () => run((name) => `drop database if exists ${name} with (force)`),
  };
};
