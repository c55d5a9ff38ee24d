import { Argument } from 'commander';
import type { Projection } from '../../../projections/projection.js';
import { projectionsOf, type Registry } from '../../entities/registry.js';

/** The optional name of one read model. */
export const projectionArgument = (registry: Registry): Argument =>
  new Argument('[projection]', 'which one; without it, all').choices(projectionsOf(registry).map(({ name }) => name));

/** The projection of this name, or all of them without one. */
export const projectionsNamed = (registry: Registry, name: string | undefined): ReadonlyArray<Projection> =>
  projectionsOf(registry).filter((projection) => name === undefined || projection.name === name);
