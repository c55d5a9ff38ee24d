import { type Registry, registry } from '../../src/entities/registry.js';
import type { World } from './world.js';

/** Of which version of the program a service is: that of this commit, and one that makes other rows of the same events. */
export const PROGRAMS = ['old', 'new'] as const;
export type Program = (typeof PROGRAMS)[number];

/** The kinds of entities that a program keeps. */
export const registryOf = (world: World, program: Program): Registry => {
  const entities = registry.entities.map((entity) => {
    const { projection, ledgerKind } = entity;
    return {
      ...entity,
      ...(program === 'new' && {
        projection: { ...projection, revision: projection.revision + 1 },
        ledgerKind: { ...ledgerKind, version: `${ledgerKind.version} and one` },
      }),
      // its routes are a module of their own
      serve: (ports: Parameters<typeof entity.serve>[0]) => world.standStill(entity.serve(ports)),
    };
  });
  return { ...registry, entities };
};
