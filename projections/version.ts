import { createHash } from 'node:crypto';
import { canonicalJson } from '../src/event-sourcing/canonical-json.js';
import type { Projection } from './projection.js';

/** Counts the changes to the columns and indexes that every read model has. */
const LAYOUT = 2;

/**
 * The version of a projection's rows: two programs with the same version make the same rows from the same log, on any
 * machine. It is a digest of layout, columns, `revision`, and the schema version of every event type (because an
 * upcaster changes what is folded).
 */
export const versionOf = (projection: Projection): string => {
  const { name, category, revision, keys, eventTypes, serde } = projection;
  const definition = canonicalJson({
    layout: LAYOUT,
    name,
    category,
    // the old name of `revision`: with another name here, every version would change and all rows be built anew
    shape: revision,
    keys: keys.map((key) => ({ name: key.name, type: key.type })),
    schemas: Object.fromEntries(eventTypes.map((type) => [type, serde.schemaVersionOf(type)])),
  });
  return createHash('sha256').update(definition, 'utf8').digest('hex').slice(0, 12);
};
