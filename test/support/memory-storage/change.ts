import type { GenerationState, Role } from '../../../projections/engine/generation/generation.js';
import type { Lease } from '../../../projections/engine/generation/lease.js';
import type { BatchOfChange, Change, Changed } from '../../../projections/engine/storage.js';
import type { ReadModel } from '../../../projections/read-model.js';
import { writeWithParking } from './entity-rows.js';
import { create, drop, instancesOf, makeLive, markEvidence, toGeneration, toState } from './generations.js';
import { prepareLedgerBatch } from './ledger-rows.js';
import { acquire, handOver, holds } from './leases.js';
import type { Tables } from './tables.js';

export const writeBatch = (tables: Tables, write: BatchOfChange): Role | undefined =>
  write.rowFor === 'entity'
    ? writeWithParking(tables, write.writer, write.step, write.batch)?.role
    : prepareLedgerBatch(tables, write.writer, write.batch)(write.step);

const acquireAll = (
  tables: Tables,
  { holder, names }: NonNullable<Change['acquire']>,
): ReadonlyArray<Lease> | undefined => {
  const leases: Array<Lease> = [];
  for (const name of names) {
    const lease = acquire(tables, name, holder, false);
    if (lease === undefined) return undefined;
    leases.push(lease);
  }
  return leases;
};

/** Undefined where a part of it cannot be done. */
const apply = (tables: Tables, projection: ReadModel, change: Change): Changed | undefined => {
  if (change.write !== undefined && writeBatch(tables, change.write) === undefined) return undefined;
  const acquired = change.acquire === undefined ? [] : acquireAll(tables, change.acquire);
  if (acquired === undefined) return undefined;
  if (change.makeLive !== undefined) makeLive(tables, projection.name, change.makeLive);
  if (change.handOver !== undefined) handOver(tables, change.handOver.lease, change.handOver.to);
  for (const name of change.drop ?? []) drop(tables, name);
  const created = change.create && create(tables, projection, change.create);
  const holder = change.create?.holder;
  const own = created === undefined || holder === undefined ? undefined : acquire(tables, created.name, holder, false);
  for (const name of change.markEvidence ?? []) markEvidence(tables, name);
  return {
    created: created && toGeneration(created),
    leases: own === undefined ? acquired : [...acquired, own],
  };
};

export const change = (
  tables: Tables,
  projection: ReadModel,
  decide: (generations: ReadonlyArray<GenerationState>) => Change | undefined,
  lease: Lease | undefined,
): Changed | undefined => {
  if (lease !== undefined && !holds(tables, lease)) return undefined;
  const decided = decide(instancesOf(tables, projection.name).map((instance) => toState(tables, instance)));
  const changed = decided && apply(tables, projection, decided);
  if (changed === undefined) tables.undo();
  return changed;
};
