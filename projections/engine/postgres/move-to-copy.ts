import { either as E } from 'fp-ts';
import type { Pool, PoolClient } from 'pg';
import { orThrow } from '../../../src/event-sourcing/attempt.js';
import { categoryOf, entityIdOf, type Position, type StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import { isUuid } from '../../../src/event-sourcing/uuid.js';
import type { ReadModel } from '../../read-model.js';
import { bigintArray, uuidArray } from '../../../src/postgres/binary-array.js';
import { attemptInEngine, type EngineFailure, notAllowed } from '../engine-failure.js';
import { type RecognisableLog, requireSameLogs } from '../generation/provenance.js';
import type { Database } from '../../../src/postgres/pool.js';
import { dropGeneration, readGenerations } from './generations.js';
import { hasReadModels, inSchemaTransaction, migrateReadModels } from './schema/schema.js';

/** Moves the read models from a log to a copy of it, in which the same events have other positions. */
export type Move = {
  /** Call it for every event of the old log, in order, with its position in the new one. */
  readonly onEvent: (event: StoredEvent, position: Position) => void;
  /**
   * Replaces every position in the read models (checkpoints, creation positions, parked events) by that of the same
   * event in the new log, in one transaction. Gives the names of the tables. Unfinished rebuilds that have a load plan
   * are dropped. Rejects when the database fails.
   */
  readonly commit: () => Promise<E.Either<EngineFailure, ReadonlyArray<string>>>;
};

type Table = {
  readonly table_name: string;
  readonly projection: string;
  readonly log_identity: string;
  readonly checkpoint_commit: string | null;
};

/** Each read model, by its name. */
type Models = ReadonlyMap<string, ReadModel>;

/** Rows of one update. */
const PAGE = 10_000;

const tablesOf = async (database: Database): Promise<ReadonlyArray<Table>> => {
  if (!(await hasReadModels(database))) return [];
  const { rows } = await database.query<Table>(
    'select table_name, projection, log_identity, checkpoint_commit from read_model.instance order by table_name',
  );
  return rows;
};

const requireNoWriters = async (database: Database): Promise<void> => {
  const { rowCount } = await database.query('select from read_model.lease where expires_at > clock_timestamp()');
  if (rowCount !== 0)
    throw notAllowed('a running service keeps the read models up to date: stop every process of it first');
};

const check = async (database: Database, identity: string, models: Models): Promise<ReadonlyArray<Table>> => {
  const tables = await tablesOf(database);
  if (tables.length === 0) return tables;
  await requireNoWriters(database);
  const foreign = tables.find(({ log_identity }) => log_identity !== identity);
  if (foreign !== undefined)
    throw notAllowed(
      `the read models were made from another log, ${foreign.log_identity}: they cannot follow this one`,
    );
  const unknown = tables.find(({ projection }) => !models.has(projection));
  if (unknown !== undefined) throw notAllowed(`this program does not know the read model "${unknown.projection}"`);
  return tables;
};

/** The creation positions of the entities of one category in the new log. */
type Creations = { readonly ids: Array<string>; readonly positions: Array<Position> };

const moveCreations = async (
  client: PoolClient,
  { table_name }: Table,
  { ids, positions }: Creations,
): Promise<void> => {
  let updated = 0;
  for (let start = 0; start < ids.length; start += PAGE) {
    const { rowCount } = await client.query(
      `update read_model.${table_name} t set place = m.place
       from unnest($1::uuid[], $2::bigint[]) m (id, place) where t.id = m.id`,
      [uuidArray(ids.slice(start, start + PAGE)), bigintArray(positions.slice(start, start + PAGE))],
    );
    updated += rowCount ?? 0;
  }
  const { rows } = await client.query<{ count: string }>(`select count(*) from read_model.${table_name}`);
  const missing = Number(rows[0]?.count ?? 0) - updated;
  if (missing !== 0) throw notAllowed(`${missing} rows of ${table_name} belong to no stream of the log`);
};

const moveCheckpoint = (client: PoolClient, { table_name }: Table, position: Position | undefined) =>
  client.query(`update read_model.instance set checkpoint_commit = $2, checkpoint_prepare = $2 where table_name = $1`, [
    table_name,
    position?.toString(),
  ]);

/** A parked event, and its position in the new log; undefined until it is known. */
type Parked = Pick<StoredEvent, 'stream' | 'revision'> & { position: Position | undefined };

const nameOf = ({ stream, revision }: Pick<StoredEvent, 'stream' | 'revision'>): string => `${stream} ${revision}`;

const readParked = async (database: Database): Promise<ReadonlyMap<string, Parked>> => {
  const { rows } = await database.query<{ stream: StoredEvent['stream']; revision: string }>(
    'select distinct stream, revision from read_model.parked',
  );
  const parked = rows.map(({ stream, revision }) => ({ stream, revision: BigInt(revision), position: undefined }));
  return new Map(parked.map((event) => [nameOf(event), event]));
};

/** Drops unfinished rebuilds that have a load plan: the plans hold positions of the old log. */
const dropHalfLoaded = async (client: PoolClient): Promise<ReadonlySet<string>> => {
  const { rows } = await client.query<{ name: string }>('select distinct table_name as name from read_model.stretch');
  for (const generation of rows) await dropGeneration(client, generation);
  return new Set(rows.map(({ name }) => name));
};

const moveParked = (client: PoolClient, { stream, revision, position }: Parked) =>
  client.query('update read_model.parked set position = $3 where stream = $1 and revision = $2', [
    stream,
    revision.toString(),
    position?.toString(),
  ]);

const isSame = (before: ReadonlyArray<Table>, now: ReadonlyArray<Table>): boolean =>
  JSON.stringify(before) === JSON.stringify(now);

/**
 * Prepares to move the read models of a log to a copy of it, so that no rows have to be built anew. `NotAllowed` while
 * a process keeps the read models up to date, `WrongLog` when they are of another log. Needs about 150 bytes of memory
 * for each entity.
 */
export const prepareMove = (
  pool: Pool,
  log: RecognisableLog,
  projections: ReadonlyArray<ReadModel>,
): Promise<E.Either<EngineFailure, Move>> =>
  attemptInEngine(async () => {
    const identity = orThrow(await log.identity());
    await requireSameLogs(log, { generations: (model: string) => readGenerations(pool, model) }, projections);
    const models: Models = new Map(projections.map((model) => [model.name, model]));
    const tables = await check(pool, identity, models);
    const created = new Map<string, Creations>(
      projections.flatMap((model) =>
        // the rows of a ledger have no position
        model.rowFor === 'entity' ? [[model.category, { ids: [], positions: [] }]] : [],
      ),
    );
    const checkpoints = new Map<string, { readonly old: Position; moved: Position | undefined }>();
    for (const { table_name, checkpoint_commit: old } of tables)
      if (old !== null) checkpoints.set(table_name, { old: BigInt(old), moved: undefined });
    const parked = tables.length === 0 ? new Map<string, Parked>() : await readParked(pool);

    const onEvent: Move['onEvent'] = (event, position) => {
      for (const checkpoint of checkpoints.values()) if (event.position <= checkpoint.old) checkpoint.moved = position;
      const parkedEvent = parked.size === 0 ? undefined : parked.get(nameOf(event));
      if (parkedEvent !== undefined) parkedEvent.position = position;
      const creations = created.get(categoryOf(event.stream));
      if (event.revision !== 0n || creations === undefined || !isUuid(entityIdOf(event.stream))) return;
      creations.ids.push(entityIdOf(event.stream));
      creations.positions.push(position);
    };

    const moveTables = async (): Promise<ReadonlyArray<string>> => {
      // an older program may have made the read models
      await migrateReadModels(pool);
      return inSchemaTransaction(pool, async (client) => {
        await client.query('lock table read_model.lease, read_model.instance in share row exclusive mode');
        if (!isSame(tables, await check(client, identity, models)))
          throw notAllowed('the read models have changed meanwhile: stop every process of the service first');
        const dropped = await dropHalfLoaded(client);
        const remaining = tables.filter(({ table_name }) => !dropped.has(table_name));
        for (const table of remaining) {
          const model = models.get(table.projection);
          const creations = model?.rowFor === 'entity' ? created.get(model.category) : undefined;
          if (creations !== undefined) await moveCreations(client, table, creations);
          await moveCheckpoint(client, table, checkpoints.get(table.table_name)?.moved);
        }
        for (const event of parked.values()) await moveParked(client, event);
        return remaining.map(({ table_name }) => table_name);
      });
    };

    const commit: Move['commit'] = () =>
      tables.length === 0 ? Promise.resolve(E.right([])) : attemptInEngine(moveTables);
    return { onEvent, commit };
  });
