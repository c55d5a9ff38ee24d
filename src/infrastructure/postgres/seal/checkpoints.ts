import type { RunStatement, TextRow } from '../../../postgres/statement.js';
import type { SignedCheckpoint } from '../../../read/sealed-tree.js';
import { QUORUM_TIMEOUT_MS } from '../../../sealing/keep-cosigning.js';

/** Checkpoints read at once: they are short. */
const PAGE = 1_000;

const COLUMNS = 'origin, size, note';

const checkpointIn = (row: TextRow | undefined): SignedCheckpoint | undefined => {
  const [origin, size, note] = row ?? [];
  return typeof origin === 'string' && typeof size === 'string' && typeof note === 'string'
    ? { origin, size: Number(size), note }
    : undefined;
};

/** Checkpoints as they were signed, and as witnesses have cosigned them. */
type Table = 'checkpoint' | 'cosigned';

/** The checkpoint that was recorded last. */
export const readNewest = async (
  run: RunStatement,
  table: Table = 'checkpoint',
): Promise<SignedCheckpoint | undefined> => {
  const text = `select ${COLUMNS} from seal.${table} order by number desc limit 1`;
  const [row] = await run({ name: `newest ${table}`, text, values: [] });
  return checkpointIn(row);
};

/** How long a checkpoint may wait for witnesses before it is handed out without, s. */
const QUORUM_TIMEOUT = QUORUM_TIMEOUT_MS / 1_000;

/**
 * What is handed out: the newest checkpoint with its cosignatures; while it waits for them, the largest of its origin that has
 * them; and the newest without where one has waited for a minute. Without witnesses, the newest.
 */
export const readHandedOut = async (run: RunStatement): Promise<SignedCheckpoint | undefined> => {
  const text = `
    with newest as (select ${COLUMNS} from seal.checkpoint order by number desc limit 1),
    witnessed as (
      select c.size, c.note from newest n, lateral (
        select size, note from seal.cosigned where origin = n.origin and size <= n.size order by size desc, number limit 1
      ) c
      where c.size = n.size or not exists (
        select from seal.checkpoint w
        where w.origin = n.origin and w.size > c.size and w.signed_at < now() - interval '${QUORUM_TIMEOUT} s')
    )
    select n.origin, coalesce(w.size, n.size), coalesce(w.note, n.note) from newest n left join witnessed w on true`;
  const [row] = await run({ name: 'checkpoint handed out', text, values: [] });
  return checkpointIn(row);
};

/** The largest checkpoint of an origin; of those with the same size, the one that was recorded first. */
export const readLargestOf = async (
  run: RunStatement,
  origin: string,
  table: Table = 'checkpoint',
): Promise<SignedCheckpoint | undefined> => {
  const text = `select ${COLUMNS} from seal.${table} where origin = $1 order by size desc, number limit 1`;
  const [row] = await run({ name: `largest ${table}`, text, values: [origin] });
  return checkpointIn(row);
};

/** All checkpoints of a table by origin and size, a page at a time. */
export async function* readCheckpoints(run: RunStatement, table: Table): AsyncGenerator<SignedCheckpoint, void> {
  const text = `select ${COLUMNS}, number from seal.${table} where (origin, size, number) > ($1, $2::bigint, $3::bigint)
    order by origin, size, number limit ${PAGE}`;
  let after = ['', '-1', '-1'];
  for (;;) {
    const rows = await run({ name: `all of ${table}`, text, values: after });
    for (const row of rows) {
      const checkpoint = checkpointIn(row);
      if (checkpoint !== undefined) yield checkpoint;
    }
    const [origin, size, , number] = rows.at(-1) ?? [];
    if (rows.length < PAGE) return;
    after = [origin ?? '', size ?? '', number ?? ''];
  }
}

export const recordCheckpoint = async (
  run: RunStatement,
  { origin, size, note }: SignedCheckpoint,
  table: Table = 'checkpoint',
): Promise<void> => {
  const text = `insert into seal.${table} (origin, size, note) values ($1, $2::bigint, $3)`;
  await run({ name: `record ${table}`, text, values: [origin, String(size), note] });
};

/**
 * Records a checkpoint, and makes sure that it is there: a trigger or a rule of the table can swallow a row without an error.
 * Rejects where it is not.
 */
export const recordKept = async (run: RunStatement, checkpoint: SignedCheckpoint, table: Table): Promise<void> => {
  await recordCheckpoint(run, checkpoint, table);
  const text = `select from seal.${table} where origin = $1 and size = $2::bigint and note = $3 limit 1`;
  const values = [checkpoint.origin, String(checkpoint.size), checkpoint.note];
  const { length } = await run({ name: `kept ${table}`, text, values });
  if (length === 0)
    throw new Error(
      `Postgres took the checkpoint and does not have it: look at the triggers and rules of seal.${table}`,
    );
};
