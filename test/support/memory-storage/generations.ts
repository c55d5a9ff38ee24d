import type {
  Generation,
  GenerationState,
  GenerationStatus,
  Role,
} from '../../../projections/engine/generation/generation.js';
import type { NewGeneration } from '../../../projections/engine/storage.js';
import type { ReadModel } from '../../../projections/read-model.js';
import { versionOf } from '../../../projections/version.js';
import { leaderOf } from './leases.js';
import { noTable, refusal } from './refusal.js';
import type { Instance, Tables } from './tables.js';

const ROLES: ReadonlyArray<Role> = ['live', 'building', 'previous'];

const byRole = (one: Instance, other: Instance): number =>
  [
    ROLES.indexOf(one.role) - ROLES.indexOf(other.role),
    other.roleSince - one.roleSince,
    other.roleNumber - one.roleNumber,
  ].find((difference) => difference !== 0) ?? 0;

/** The generations of a read model in the order of the port. */
export const instancesOf = ({ instances }: Tables, readModel: string): ReadonlyArray<Instance> =>
  [...instances.rows.values()].filter(({ projection }) => projection === readModel).toSorted(byRole);

export const liveInstances = ({ instances }: Tables): ReadonlyArray<Instance> =>
  [...instances.rows.values()]
    .filter(({ role }) => role === 'live')
    .toSorted((one, other) => (one.projection < other.projection ? -1 : 1));

export const liveInstance = ({ instances }: Tables, readModel: string): Instance | undefined =>
  [...instances.rows.values()].find(({ role, projection }) => role === 'live' && projection === readModel);

export const toGeneration = ({ name, version, role, logIdentity, checkpoint, last }: Instance): Generation => ({
  name,
  version,
  role,
  logIdentity,
  checkpoint,
  last,
});

export const toState = (tables: Tables, instance: Instance): GenerationState => {
  const { name, roleSince, isRebuild, skips, isEvidence } = instance;
  return {
    ...toGeneration(instance),
    msInRole: Math.max(0, tables.now() - roleSince),
    holder: leaderOf(tables, name)?.holder,
    isRebuild,
    skips,
    isEvidence,
  };
};

export const statusesOf = (tables: Tables): ReadonlyArray<GenerationStatus> => {
  const readModels = new Set([...tables.instances.rows.values()].map(({ projection }) => projection));
  return [...readModels].toSorted().flatMap((readModel) =>
    instancesOf(tables, readModel).map((instance): GenerationStatus => {
      const { name, projection, roleSince, contents } = instance;
      const leader = leaderOf(tables, name);
      const parked = contents.rowFor === 'entity' ? [...contents.parked.rows.values()] : [];
      const newest = parked.toSorted((one, other) => other.since.getTime() - one.since.getTime())[0];
      return {
        ...toGeneration(instance),
        projection,
        roleSince: new Date(roleSince),
        leader: leader && { holder: leader.holder, seconds: leader.ms / 1_000 },
        parked: parked.length,
        lastError: newest?.error,
      };
    }),
  );
};

const inRoleFromNow = (
  { now, numberRole }: Tables,
  role: Role,
): Pick<Instance, 'role' | 'roleSince' | 'roleNumber'> => ({
  role,
  roleSince: now(),
  roleNumber: numberRole(),
});

export const create = (
  tables: Tables,
  projection: ReadModel,
  { role, logIdentity, isRebuild, skips }: Omit<NewGeneration, 'holder'>,
): Instance => {
  // a number that was drawn stays drawn, also where nothing is made
  const number = tables.numberGeneration();
  if (role === 'live' && liveInstance(tables, projection.name) !== undefined)
    throw refusal('23505', 'duplicate key value violates unique constraint "instance_live"');
  const version = versionOf(projection);
  const instance: Instance = {
    name: `${projection.name}_${version}_${number}`,
    projection: projection.name,
    version,
    logIdentity,
    checkpoint: 'start',
    last: undefined,
    isRebuild,
    skips,
    isEvidence: false,
    ...inRoleFromNow(tables, role),
    contents: projection.rowFor === 'entity' ? tables.entityContents() : tables.ledgerContents(),
  };
  tables.instances.put(instance.name, instance);
  return instance;
};

export const makeLive = (tables: Tables, readModel: string, name: string): void => {
  const { instances } = tables;
  if (!instances.rows.has(name)) throw noTable(name);
  const before = liveInstance(tables, readModel);
  if (before !== undefined) instances.put(before.name, { ...before, ...inRoleFromNow(tables, 'previous') });
  const promoted = instances.rows.get(name);
  if (promoted !== undefined) instances.put(name, { ...promoted, ...inRoleFromNow(tables, 'live') });
};

export const drop = ({ instances, leases }: Tables, name: string): void => {
  // what reads the live rows depends on them
  if (instances.rows.get(name)?.role === 'live')
    throw refusal('2BP01', `cannot drop table read_model.${name} because other objects depend on it`);
  instances.remove(name);
  leases.remove(name);
};

export const markEvidence = ({ instances }: Tables, name: string): void => {
  const instance = instances.rows.get(name);
  if (instance !== undefined) instances.put(name, { ...instance, isEvidence: true });
};
