import pg from 'pg';

/** A database that goes back to what it was, as when a replica is promoted that lacks the last commits. */
export type PutBack = {
  /** Notes what the database is now. */
  readonly copy: () => Promise<void>;
  /** Makes the database what it was at the `copy`; every connection to it is lost. */
  readonly promote: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** For the database of a URL, on a server with others; its users connect again by themselves. */
export const makePutBack = (url: string): PutBack => {
  const database = new URL(url).pathname.slice(1);
  const server = new URL(url);
  server.pathname = '/postgres';
  const pool = new pg.Pool({ connectionString: server.href, max: 1 });
  const copyName = `${database}_behind`;

  const run = (...statements: ReadonlyArray<string>): Promise<void> =>
    statements.reduce((before, text) => before.then(() => pool.query(text)).then(() => undefined), Promise.resolve());

  /** While nobody is connected to the database. */
  const alone = async (...statements: ReadonlyArray<string>): Promise<void> => {
    const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`;
    await run(`alter database ${database} allow_connections false`, end);
    for (;;) {
      const { rows } = await pool.query(`select from pg_stat_activity where datname = '${database}'`);
      if (rows.length === 0) break;
    }
    await run(...statements, `alter database ${database} allow_connections true`);
  };

  return {
    copy: () => alone(`create database ${copyName} template ${database}`),
    promote: () =>
      alone(
        `alter database ${database} rename to ${database}_lost`,
        `alter database ${copyName} rename to ${database}`,
        `drop database ${database}_lost`,
      ),
    close: () => pool.end(),
  };
};
