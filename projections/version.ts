import { createHash } from 'node:crypto';
import { canonicalJson } from '../src/event-sourcing/canonical-json.js';
import type { Projection } from './projection.js';

/** Counts the changes to the columns and indexes that every read model has. */
const LAYOUT = 1;

/**
 * Names the rows that a projection makes: two programs with the same version make the same rows from the same log,
 * on any machine. It is a digest of the definition as written: layout, columns, `revision`, and the schema version of
 * every event type (an upcaster changes what the fold sees).
 */
export const versionOf = (projection: Projection): string => {
  const { name, category, revision, keys, eventTypes, serde } = projection;
  const definition = canonicalJson({
    layout: LAYOUT,
    name,
    category,
    // the name it had when the first tables were made: a version names rows for ever
    shape: revision,
    keys: keys.map((key) => ({ name: key.name, type: key.type })),
    schemas: Object.fromEntries(eventTypes.map((type) => [type, serde.schemaVersionOf(type)])),
  });
  return createHash('sha256').update(definition, 'utf8').digest('hex').slice(0, 12);
};
