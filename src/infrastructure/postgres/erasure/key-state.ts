import type { Pool } from 'pg';
import { SILENCE_MS } from '../../../event-sourcing/answer-deadline.js';
import type { KeyState } from '../../../event-sourcing/encryption/key-state.js';
import { IV_BYTES, type StoredTree } from '../../../event-sourcing/encryption/wrapped-tree.js';
import { migrate, type VersionedSchema, versionedIn } from '../../../postgres/migrate.js';
import { type Database, makePool } from '../../../postgres/pool.js';
import { unlessNoTable } from '../../../postgres/sql-failure.js';
import { inTransaction } from '../../../postgres/transaction.js';

/**
 * The keys of the data at rest, wrapped: nothing from which they could be computed again is anywhere else. A row is replaced,
 * so that nothing is left of what was destroyed but what Postgres keeps of it (docs/erasure.md).
 */
const erasureSchema: VersionedSchema = {
  lock: 7_310_485_202n,
  ...versionedIn('erasure'),
  steps: [
    `create table erasure.key_tree (
       only_row boolean primary key default true check (only_row),
       tree text not null,
       version integer not null,
       wrapped bytea not null
     )`,
  ],
  allowsNewer: true,
};

/** Migrates the table of the keys to this program's version; several processes may call it at once. */
export const migrateErasure = (pool: Pool): Promise<void> => migrate(pool, erasureSchema);

const readTree = (database: Database): Promise<StoredTree | undefined> =>
  unlessNoTable(
    async () => (await database.query<StoredTree>('select tree, version, wrapped from erasure.key_tree')).rows[0],
    undefined,
  );

const readOtherTree = async (database: Database, { wrapped }: StoredTree): Promise<StoredTree | undefined> =>
  (
    await database.query<StoredTree>(
      `select tree, version, wrapped from erasure.key_tree where substring(wrapped for ${IV_BYTES}) <> $1`,
      [wrapped.subarray(0, IV_BYTES)],
    )
  ).rows[0];

/** Stores the first state, unless another process has done so; gives the one that is stored. */
export const storeFirstTree = async (pool: Pool, { tree, version, wrapped }: StoredTree): Promise<StoredTree> => {
  await migrateErasure(pool);
  await pool.query('insert into erasure.key_tree (tree, version, wrapped) values ($1, $2, $3) on conflict do nothing', [
    tree,
    version,
    wrapped,
  ]);
  const stored = await readTree(pool);
  if (stored === undefined) throw new Error('the keys that were stored are not there');
  return stored;
};

const replaceTree = async (pool: Pool, change: (stored: StoredTree) => StoredTree): Promise<void> => {
  await inTransaction(pool, async (client) => {
    const { rows } = await client.query<StoredTree>('select tree, version, wrapped from erasure.key_tree for update');
    const [stored] = rows;
    if (stored === undefined) throw new Error('the keys are not there any more');
    const next = change(stored);
    await client.query('update erasure.key_tree set version = $1, wrapped = $2', [next.version, next.wrapped]);
  });
  // the row as it was before is still in the table until then
  await pool.query('vacuum erasure.key_tree');
};

/** The keys in a database: that of the read models. */
export const openKeyState = (connectionString: string): KeyState => {
  const pool = makePool({
    connectionString,
    name: 'keys',
    connections: 1,
    connectMs: SILENCE_MS,
    queryMs: SILENCE_MS,
    statementMs: SILENCE_MS,
  });
  return {
    read: () => readTree(pool),
    readOther: (known) => readOtherTree(pool, known),
    storeFirst: (first) => storeFirstTree(pool, first),
    replace: (change) => replaceTree(pool, change),
    close: () => pool.end(),
  };
};
