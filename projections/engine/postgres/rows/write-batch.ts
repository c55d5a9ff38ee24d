import type { Role } from '../../generation/generation.js';
import type { Entity } from '../../rows/rows.js';
import type { EntityWriter, Step, Writer } from '../../storage.js';
import type { RunStatement, Statement, TextRow } from '../../../../src/postgres/statement.js';
import { tableOf } from '../schema/table.js';
import { rowArrays, upsertSql } from './entity-arrays.js';

/** Channel on which the live checkpoints are sent: `<read model> <commit>`. */
export const CHECKPOINT_CHANNEL = 'projected';

const STEP_PARAMETERS = 11;

// compare-and-set: updates nothing when the lease is lost or another process has moved the checkpoint
const MOVED = `moved as (
  update read_model.instance set
    checkpoint_commit = $1::bigint, checkpoint_prepare = $2::bigint,
    last_stream = coalesce($3::text, last_stream), last_revision = coalesce($4::bigint, last_revision),
    last_event_id = coalesce($5::text, last_event_id)
  where table_name = $6 and checkpoint_commit is not distinct from $7::bigint
    and (role = 'live' or not $11::boolean)
    and exists (select from read_model.lease where name = $6 and holder = $8 and fencing = $9::bigint)
  returning projection, role
)`;

const NOTIFIED = `select role, case when $10::boolean and role = 'live'
  then pg_notify('${CHECKPOINT_CHANNEL}', projection || ' ' || $1::bigint) end from moved`;

const stepValues = (
  { generation, lease, notifies }: Writer,
  { from, to, last, mustBeLive = false }: Step,
): Statement['values'] => [
  to.commit.toString(),
  to.prepare.toString(),
  last?.stream ?? null,
  last?.revision.toString() ?? null,
  last?.id ?? null,
  generation.name,
  from === 'start' ? null : from.commit.toString(),
  lease.holder,
  lease.fencing,
  String(notifies),
  String(mustBeLive),
];

// reason: the only values of the column
const roleOf = ([row]: ReadonlyArray<TextRow>): Role | undefined => row?.[0] as Role | undefined;

/**
 * Moves the checkpoint without writing rows, over events of other categories. Gives the role of the generation;
 * undefined, and nothing written, when the lease was lost, the checkpoint is not at `from`, or the generation must be
 * the live one and is not.
 */
export const writeStep = async (run: RunStatement, writer: Writer, step: Step): Promise<Role | undefined> =>
  roleOf(await run({ name: 'step', text: `with ${MOVED} ${NOTIFIED}`, values: stepValues(writer, step) }));

/**
 * SQL statements that write the rows of a batch, from values that are bound from `$first` on. They write nothing when
 * `source` has no row.
 */
type RowsSql = (first: number, source: string) => ReadonlyArray<string>;

type WriteBatch = (step: Step, values: Statement['values']) => Promise<Role | undefined>;

/**
 * Writes the rows of a batch and moves the checkpoint over it, in one statement. Gives the same as `writeStep`. Rejects
 * when the database rejects a row.
 */
export const makeWriteBatch = (run: RunStatement, writer: Writer, rowsSql: RowsSql): WriteBatch => {
  const written = rowsSql(STEP_PARAMETERS + 1, 'moved').map((sql, i) => `written_${i} as (${sql})`);
  const name = `write ${writer.generation.name}`;
  const text = `with ${[MOVED, ...written].join(', ')} ${NOTIFIED}`;
  return async (step, values) => roleOf(await run({ name, text, values: [...stepValues(writer, step), ...values] }));
};

/** Writes rows, in a transaction that also calls `writeStep`. */
export const writeRows = async (
  run: RunStatement,
  { projection, generation }: EntityWriter,
  entities: ReadonlyArray<Entity>,
): Promise<void> => {
  const text = upsertSql(tableOf(generation), projection.keys, 1);
  await run({ name: `write rows of ${generation.name}`, text, values: rowArrays(projection, entities) });
};
