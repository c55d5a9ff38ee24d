import { foldEntity, newEntity } from '../../projections/engine/rows/fold-batch.js';
import type { Entity } from '../../projections/engine/rows/rows.js';
import type { TextRow } from '../../projections/engine/rows/differing-fields.js';
import type { Projection } from '../../projections/projection.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { entityIdOf, type From, type StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import type { FilterValues, HiddenStates, Queries } from '../../src/read/queries.js';
import { storedRow } from './memory-storage/entity-row.js';
import { rowQueries } from './row-queries/row-queries.js';

/** A read model whose rows are those of the log when it is asked: never behind. */
export const inMemoryQueries = (store: EventStore, projection: Projection): Queries<FilterValues> & HiddenStates => {
  const { category } = projection;
  const entities = new Map<string, Entity>();
  const rows = new Map<string, TextRow>();
  let seen: From = 'start';

  const fold = (stored: StoredEvent): void => {
    const id = entityIdOf(stored.stream);
    const { entity, parking } = foldEntity(projection, entities.get(id) ?? newEntity(projection, id, stored), [stored]);
    if (parking !== undefined) throw new Error(parking.reason);
    entities.set(id, entity);
    rows.set(id, storedRow(projection, entity));
  };

  return rowQueries(projection, async (read) => {
    for await (const { events, checkpoint } of store.readAll({ after: seen, categories: [category] })) {
      events.forEach(fold);
      seen = checkpoint;
    }
    return read(rows);
  });
};
