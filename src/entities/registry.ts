import type { Ledger } from '../../projections/ledger.js';
import type { Projection } from '../../projections/projection.js';
import type { ReadModel } from '../../projections/read-model.js';
import { makeSnapshots } from '../../projections/snapshot.js';
import { versionOf } from '../../projections/version.js';
import { DECISIONS } from '../event-sourcing/operators/decision-events.js';
import { business } from './business.js';
import { decisionKind } from './decision-kind.js';
import { document } from './document.js';
import type { EncryptionRules } from '../event-sourcing/encryption/encryption.js';
import { saysErased } from '../event-sourcing/erasure/erased-events.js';
import { categoryOf } from '../event-sourcing/recorded-event.js';
import type { EntityDefinition } from './entity-definition.js';

/** The kinds of entities that a service keeps. */
export type Registry = {
  readonly entities: ReadonlyArray<EntityDefinition>;
  /** Where the registry is defined: other threads import it from there, as its member `registry`. */
  readonly module: string;
};

/** Every kind of entity: a new one is a line here. */
export const registry: Registry = { entities: [business, document], module: import.meta.url };

export const projectionsOf = ({ entities }: Pick<Registry, 'entities'>): ReadonlyArray<Projection> =>
  entities.map(({ projection }) => projection);

/** The row for each event of all kinds, and for each decision of operators, in the order of the log. */
export const ledgerOf = ({ entities }: Pick<Registry, 'entities'>): Ledger => ({
  rowFor: 'event',
  name: 'ledger',
  kinds: [...entities.map(({ ledgerKind }) => ledgerKind), decisionKind],
});

/** Every read model of a service. */
export const readModelsOf = (registry: Pick<Registry, 'entities'>): ReadonlyArray<ReadModel> => [
  ...projectionsOf(registry),
  ledgerOf(registry),
];

/** The same kinds, whose projections sign their rows with a key. Without a key they sign nothing. */
export const signingRows = (registry: Registry, key: string | undefined): Registry => {
  if (key === undefined) return registry;
  const entities = registry.entities.map((entity) => {
    const { projection } = entity;
    return { ...entity, projection: { ...projection, snapshots: makeSnapshots(key, versionOf(projection)) } };
  });
  return { ...registry, entities };
};

/** The categories of all streams that are ours: those of the entities, and of the operators' decisions. */
export const categoriesOf = ({ entities }: Pick<Registry, 'entities'>): ReadonlyArray<string> => [
  ...entities.map(({ projection }) => projection.category),
  DECISIONS,
];

/** What is encrypted at rest: all events of records, but those that say that data was erased. */
export const encryptionRulesOf = ({ entities }: Pick<Registry, 'entities'>): EncryptionRules => {
  const categories = new Set(entities.map(({ projection }) => projection.category));
  const ownKeyed = new Set(entities.flatMap(({ aboutOthers = [] }) => aboutOthers));
  return {
    isSecret: (stream, type) => categories.has(categoryOf(stream)) && !saysErased({ type }),
    hasOwnKey: (type) => ownKeyed.has(type),
  };
};
