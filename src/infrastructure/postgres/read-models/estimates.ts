import { run, withConnection } from '../../../postgres/statement.js';
import type { Order } from '../../../read/queries.js';
import { estimateStatement } from './page-statement.js';
import type { Listed, ReadModelConnections } from './read-model.js';
import type { Wanted } from './read-model-filter.js';

/** What the planner expects of a list: the rows that match, and those that a walk in its order would meet. */
export type Estimate = { readonly matching: number; readonly all: number };

export type Estimates = (wanted: ReadonlyArray<Wanted>, order: Order) => Promise<Estimate>;

/** With filters of a few hundred bytes, half a megabyte. */
const MOST_KNOWN = 1_000;

/** An estimate is asked for again after this time, because records change. */
export const KNOWN_MS = 10_000;

/** A list, as a key of what is known of it. */
export const listKey = (wanted: ReadonlyArray<Wanted>, order: Order): string =>
  JSON.stringify([order, wanted.map(({ name, value }) => [name, value])]);

type Explained = readonly [{ readonly Plan: { readonly Plans: ReadonlyArray<{ readonly 'Plan Rows': number }> } }];

/**
 * Remembers each estimate for ten seconds. It takes 0.3 ms, so that it is asked for on a connection for short queries: a page
 * whose walk is short does not wait for the searches of others. EXPLAIN plans for the very values on every connection, and
 * the rows that it expects do not depend on the plan.
 */
export const makeEstimates = (
  { clock, short }: Pick<ReadModelConnections, 'clock' | 'short'>,
  listed: Listed,
): Estimates => {
  const known = new Map<string, Estimate & { readonly until: number }>();
  return async (wanted, order) => {
    const key = listKey(wanted, order);
    const remembered = known.get(key);
    if (remembered !== undefined && clock.monotonic() < remembered.until) return remembered;
    const statement = estimateStatement(listed, wanted, order);
    const [row] = await withConnection(short, (client) => run(client, statement));
    // reason: EXPLAIN gives one row of JSON, of the statement that was written for it
    const [{ Plan }] = JSON.parse(row?.[0] ?? '') as Explained;
    const [matching = 0, all = 0] = Plan.Plans.map((each) => each['Plan Rows']);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(key, { matching, all, until: clock.monotonic() + KNOWN_MS });
    return { matching, all };
  };
};
