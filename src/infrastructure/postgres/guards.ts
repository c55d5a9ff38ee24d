import type { Pool } from 'pg';
import { runIn } from '../../postgres/statement.js';

/** The triggers that keep events, checkpoints and the record of reads from being changed or removed, as their schemas make them. */
const GUARDS: ReadonlyArray<readonly [table: string, trigger: string]> = [
  ['event_log.event', 'never_changed'],
  ['event_log.event', 'never_beyond_head'],
  ['event_log.head', 'only_grows'],
  ['event_log.head', 'never_removed'],
  ['seal.checkpoint', 'never_changed'],
  ['seal.archived', 'never_changed'],
  ['seal.cosigned', 'never_changed'],
  ['access.read', 'never_changed'],
];

const VALUES = GUARDS.map(([table, trigger]) => `('${table}', '${trigger}')`).join(', ');

/** One that does not fire in the sessions of a replica is none, and none that was given a condition, or returns without refusing. */
const LIFTED = `
select guarded || ': ' || named from (values ${VALUES}) guard (guarded, named)
where to_regclass(guarded) is not null and not exists (
  select from pg_catalog.pg_trigger join pg_catalog.pg_proc on pg_proc.oid = tgfoid
  where tgrelid = to_regclass(guarded) and tgname = named and tgenabled = 'A'
    and (named = 'only_grows' or tgqual is null) and prosrc like '%raise exception%'
    and (named = 'never_beyond_head' or prosrc not ilike '%return %')
) order by 1`;

/**
 * The guards of this database that are lifted, each as `table: trigger`: dropped, disabled, or not for all sessions. Whoever
 * owns the tables can put them back, so that none is lifted now says nothing of the past. Rejects with what the database throws.
 */
export const makeFindLiftedGuards = (pool: Pool) => {
  const run = runIn(pool);
  return async (): Promise<ReadonlyArray<string>> =>
    (await run({ name: 'lifted guards', text: LIFTED, values: [] })).flatMap(([guard]) => guard ?? []);
};
