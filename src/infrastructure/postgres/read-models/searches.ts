import type { ClientBase, Pool } from 'pg';
import type { Rows } from '../../../postgres/rows.js';
import { isCanceled } from '../../../postgres/sql-failure.js';
import { readRows, releasing, type Statement } from '../../../postgres/statement.js';
import { withTimeout } from '../../../event-sourcing/with-timeout.js';
import type { Clock } from '../../../event-sourcing/clock.js';

/**
 * The rows of a search; undefined when it was given up at `end`, of `Clock.monotonic`, because it or others took too long.
 * The server then ends it, too. Rejects where the database gives no connection, or no answer.
 */
export type Search = (statement: Statement, end: number) => Promise<Rows | undefined>;

/**
 * Time limits of statements are multiples of it, ms. A search that waits for nothing then finds the limit that it needs on
 * its connection, where the one before has set it, and no round trip is spent on that.
 */
const STEP_MS = 100;

/** Searches on connections whose `statement_timeout` nobody else sets. */
export const makeSearch = (clock: Clock, pool: Pool): Search => {
  const limits = new WeakMap<ClientBase, number>();
  let underWay = 0;

  const limit = async (client: ClientBase, ms: number): Promise<void> => {
    if (limits.get(client) === ms) return;
    await client.query(`set statement_timeout = ${ms}`);
    limits.set(client, ms);
  };

  const read = async (client: ClientBase, statement: Statement, end: number): Promise<Rows | undefined> => {
    const ms = Math.floor((end - clock.monotonic()) / STEP_MS) * STEP_MS;
    // a limit of 0 would be none
    if (ms <= 0) return undefined;
    underWay += 1;
    try {
      await limit(client, ms);
      return await readRows(client, statement);
    } catch (error) {
      if (isCanceled(error)) return undefined;
      throw error;
    } finally {
      underWay -= 1;
    }
  };

  return async (statement, end) => {
    const left = end - clock.monotonic();
    if (left <= 0) return undefined;
    const connecting = pool.connect();
    const client = await withTimeout(clock, left, connecting);
    if (client !== undefined) return releasing(client, () => read(client, statement, end));
    // nobody waits for this search any more: the connection is for the next one
    connecting.then(
      (late) => late.release(),
      () => undefined,
    );
    if (underWay < pool.options.max) throw new Error('the database has not given a connection');
    return undefined;
  };
};
