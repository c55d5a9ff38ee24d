import { either as E } from 'fp-ts';
import type { Pool, PoolClient } from 'pg';
import { isLockTimeout } from '../../../src/postgres/sql-failure.js';
import type { ReadModel } from '../../read-model.js';
import type { GenerationState } from '../generation/generation.js';
import type { Lease } from '../generation/lease.js';
import type { Change, Changed, ReadModelStorage } from '../storage.js';
import {
  createGeneration,
  dropGeneration,
  GENERATION_COLUMNS,
  type GenerationRow,
  IN_ORDER,
  lockLive,
  makeLive,
  toGeneration,
} from './generations.js';
import { acquireLease, handOverLease, holdsLease } from './leases.js';
import { writeBatchOfChange } from './rows/write-batch-of-change.js';
import { inSchemaTransaction, limitLockWaits } from './schema/schema.js';

type StateRow = GenerationRow & {
  readonly is_rebuild: boolean;
  readonly skips: number;
  readonly is_evidence: boolean;
  readonly ms_in_role: number;
  readonly holder: string | null;
};

const STATES = `
select ${GENERATION_COLUMNS}, is_rebuild, skips::integer, is_evidence,
  extract(epoch from clock_timestamp() - role_since)::float8 * 1000 as ms_in_role,
  (select holder from read_model.lease where name = table_name and expires_at > clock_timestamp()) as holder
from read_model.instance where projection = $1 order by ${IN_ORDER}`;

/** The generations of a read model. The checkpoint of the live one does not move until the transaction ends. */
const lockStates = async (client: PoolClient, { name }: ReadModel): Promise<ReadonlyArray<GenerationState>> => {
  await lockLive(client, name);
  const { rows } = await client.query<StateRow>(STATES, [name]);
  return rows.map((row) => ({
    ...toGeneration(row),
    msInRole: row.ms_in_role,
    holder: row.holder ?? undefined,
    isRebuild: row.is_rebuild,
    skips: row.skips,
    isEvidence: row.is_evidence,
  }));
};

/** A `Left` undoes what was changed before. */
const undone: E.Either<'Undone', never> = E.left('Undone');

const MARK_EVIDENCE = 'update read_model.instance set is_evidence = true where table_name = any($1)';

const apply = async (
  client: PoolClient,
  projection: ReadModel,
  { acquire, makeLive: name, handOver, drop = [], create, markEvidence = [] }: Omit<Change, 'write'>,
): Promise<E.Either<'Undone', Changed>> => {
  const leases: Array<Lease> = [];
  for (const each of acquire?.names ?? []) {
    const lease = await acquireLease(client, each, acquire?.holder ?? '', false);
    if (lease === undefined) return undone;
    leases.push(lease);
  }
  if (name !== undefined) await makeLive(client, projection, { name });
  if (handOver !== undefined) await handOverLease(client, handOver.lease, handOver.to);
  for (const each of drop) await dropGeneration(client, { name: each });
  const created = create && (await createGeneration(client, projection, create));
  if (created !== undefined && create?.holder !== undefined) {
    const lease = await acquireLease(client, created.name, create.holder, false);
    if (lease === undefined) return undone;
    leases.push(lease);
  }
  if (markEvidence.length > 0) await client.query(MARK_EVIDENCE, [markEvidence]);
  return E.right({ created, leases });
};

/** Changes the generations of one read model. */
export const change = async (
  pool: Pool,
  projection: ReadModel,
  decide: (generations: ReadonlyArray<GenerationState>) => Change | undefined,
  { lease, isBrief = false }: Parameters<ReadModelStorage['change']>[2] = {},
): Promise<Changed | undefined> => {
  try {
    const changed = await inSchemaTransaction(pool, async (client) => {
      if (isBrief) await limitLockWaits(client);
      const generations = await lockStates(client, projection);
      if (lease !== undefined && !(await holdsLease(client, lease))) return undefined;
      const decided = decide(generations);
      if (decided === undefined || !(await writeBatchOfChange(pool, decided.write))) return undefined;
      return apply(client, projection, decided);
    });
    return changed && E.getOrElseW(() => undefined)(changed);
  } catch (error) {
    if (isBrief && isLockTimeout(error)) return undefined;
    throw error;
  }
};
