import { commitOf, type Role } from '../../../projections/engine/generation/generation.js';
import type { Step, Writer } from '../../../projections/engine/storage.js';
import { holds } from './leases.js';
import type { Instance, Tables } from './tables.js';

/** The generation as it may be written by this writer from there on; undefined where it may not. */
export const writableFrom = (
  tables: Tables,
  { generation, lease }: Writer,
  { from, mustBeLive = false }: Pick<Step, 'from' | 'mustBeLive'>,
): Instance | undefined => {
  const instance = tables.instances.rows.get(generation.name);
  if (instance === undefined || !holds(tables, { ...lease, name: generation.name })) return undefined;
  if (mustBeLive && instance.role !== 'live') return undefined;
  return commitOf(instance.checkpoint) === commitOf(from) ? instance : undefined;
};

/** Moves the checkpoint; undefined where the writer may not. */
export const moveCheckpoint = (tables: Tables, writer: Writer, step: Step): Role | undefined => {
  const instance = writableFrom(tables, writer, step);
  if (instance === undefined) return undefined;
  const { name, role, projection } = instance;
  // a whole event may be given
  const last = step.last && { stream: step.last.stream, revision: step.last.revision, id: step.last.id };
  tables.instances.put(name, { ...instance, checkpoint: step.to, last: last ?? instance.last });
  if (writer.notifies && role === 'live') tables.notify(projection, step.to.commit);
  return role;
};
