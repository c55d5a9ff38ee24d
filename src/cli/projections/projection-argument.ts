import { Argument } from 'commander';
import type { ReadModel } from '../../../projections/read-model.js';
import { readModelsOf, type Registry } from '../../entities/registry.js';

const named = (models: ReadonlyArray<Pick<ReadModel, 'name'>>): Argument =>
  new Argument('[projection]', 'which one; without it, all').choices(models.map(({ name }) => name));

/** The optional name of one read model. */
export const readModelArgument = (registry: Registry): Argument => named(readModelsOf(registry));

/** The read model of this name, or all of them without one. */
export const readModelsNamed = (registry: Registry, name: string | undefined): ReadonlyArray<ReadModel> =>
  readModelsOf(registry).filter((model) => name === undefined || model.name === name);
