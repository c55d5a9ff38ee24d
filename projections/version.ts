import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '../src/event-sourcing/canonical-json.js';
import type { Ledger } from './ledger.js';
import type { Projection } from './projection.js';
import type { ReadModel } from './read-model.js';

/** Counts the changes to the columns and indexes that every read model with a row for each entity has. */
const ENTITY_LAYOUT = 3;
/** The same for read models with a row for each event. */
const EVENT_LAYOUT = 3;

const projectionDefinition = ({ name, category, revision, keys, eventTypes, serde }: Projection): Json => ({
  layout: ENTITY_LAYOUT,
  name,
  category,
  // the old name of `revision`: with another name here, every version would change and all rows be built anew
  shape: revision,
  keys: keys.map(({ name: column, type, sort }) => ({ name: column, type, ...(sort === undefined ? {} : { sort }) })),
  schemas: Object.fromEntries(eventTypes.map((type) => [type, serde.schemaVersionOf(type)])),
});

const ledgerDefinition = ({ name, kinds }: Ledger): Json => ({
  layout: EVENT_LAYOUT,
  name,
  kinds: kinds.map(({ category, entityType, version }) => ({ category, entityType, version })),
});

/**
 * The version of a read model's rows: two programs with the same version make the same rows from the same log, on any
 * machine. It is a digest of the layout and of what the definition says of columns, categories and events; of entities
 * also of the schema version of every event type (because an upcaster changes what is folded).
 */
export const versionOf = (model: ReadModel): string => {
  const definition = model.rowFor === 'entity' ? projectionDefinition(model) : ledgerDefinition(model);
  return createHash('sha256').update(canonicalJson(definition), 'utf8').digest('hex').slice(0, 12);
};
