import { Argument } from 'commander';
import type { Projection } from '../../../projections/projection.js';
import { projectionsOf, type Registry } from '../../entities/registry.js';

/** The name of one of the read models; without it, all. */
export const projectionArgument = (registry: Registry): Argument =>
  new Argument('[projection]', 'which one; without it, all').choices(projectionsOf(registry).map(({ name }) => name));

/** Those that a command is asked for: one by its name, or all. */
export const projectionsNamed = (registry: Registry, name: string | undefined): ReadonlyArray<Projection> =>
  projectionsOf(registry).filter((projection) => name === undefined || projection.name === name);
