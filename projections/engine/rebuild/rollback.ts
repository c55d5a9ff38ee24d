import type { Pool } from 'pg';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { DomainEvent } from '../../../src/event-sourcing/serde.js';
import type { Projection } from '../../projection.js';
import { versionOf } from '../../version.js';
import { readPrevious } from '../live/feed-previous.js';
import { readLive } from '../instance/instance.js';
import { acquireLease, newHolder } from '../instance/lease.js';
import { refuseOtherOrigin } from '../instance/origin.js';
import { migrate } from '../schema.js';
import { RebuildRefused } from './rebuild-refused.js';
import { makeRebuilding } from './rebuilding.js';
import { type SwitchedTo, switchTo } from './switch-to.js';
import { withLease } from './with-lease.js';

export type Rollback<State, Event extends DomainEvent> = {
  readonly pool: Pool;
  readonly store: EventStore;
  readonly projection: Projection<State, Event>;
  readonly signal: AbortSignal;
};

const nothingToGoBackTo = (name: string): RebuildRefused =>
  new RebuildRefused(
    `there are no rows of "${name}" to go back to: none were replaced within ROLLBACK_WINDOW, ` +
      'or those that were belong to another version of the program, which takes them up again when it is started',
  );

/**
 * Makes the rows live again that were replaced last; what is live now can be gone back to in turn. Throws
 * `RebuildRefused` when there are none.
 */
export const rollBack = async <State, Event extends DomainEvent>({
  pool,
  store,
  projection,
  signal,
}: Rollback<State, Event>): Promise<SwitchedTo> => {
  await migrate(pool);
  const [previous, live] = [await readPrevious(pool, projection), await readLive(pool, projection.name)];
  for (const rows of [live, previous]) if (rows !== undefined) await refuseOtherOrigin(store, projection.name, rows);
  if (previous === undefined || live?.version !== versionOf(projection)) throw nothingToGoBackTo(projection.name);
  // the service feeds these rows; from here on it is refused
  const lease = await acquireLease(pool, previous.name, newHolder(), true);
  if (lease === undefined) throw nothingToGoBackTo(projection.name);
  return withLease(pool, lease, signal, async (ends) => {
    // read again now that nobody else moves it
    const instance = await readPrevious(pool, projection);
    if (instance?.name !== previous.name) throw nothingToGoBackTo(projection.name);
    return switchTo(makeRebuilding({ pool, projection, instance, lease, notifies: false }, store, ends));
  });
};
