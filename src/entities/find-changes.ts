import { readSkips } from '../../projections/engine/parked/skips.js';
import type { Clock } from '../event-sourcing/clock.js';
import type { EventStore } from '../event-sourcing/event-store.js';
import type { FindChanges } from '../read/ledger-diffs.js';
import type { Registry } from './registry.js';

/** The histories of all kinds of entities, in which the events that are skipped when they are asked for change nothing. */
export const makeFindChanges =
  (clock: Clock, { entities }: Pick<Registry, 'entities'>, store: EventStore): FindChanges =>
  async (entityType) => {
    const kind = entities.find(({ name }) => name === entityType);
    if (kind === undefined)
      throw new Error(`the ledger has an event of ${entityType}, which is no kind of entity here`);
    const { events: skipped } = await readSkips(store, kind.projection.name);
    return kind.history({ clock, store, findSkipped: () => skipped });
  };
