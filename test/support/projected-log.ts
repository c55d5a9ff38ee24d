import { either as E } from 'fp-ts';
import { startProjections } from '../../projections/engine/run/start-projections.js';
import { readModelsOf, registry } from '../../src/entities/registry.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import type { Position } from '../../src/event-sourcing/recorded-event.js';
import { makePostgresEventStore } from '../../src/infrastructure/postgres/event-log/postgres-event-store.js';
import { untilShown } from './until-shown.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { ownStorage } from './read-model-storage.js';

/** Writes a log in a database by `write`, which gives its last position, and leaves it projected into rows there. */
export const projectLog = async (
  connectionString: string,
  write: (store: EventStore) => Promise<Position>,
): Promise<void> => {
  const opened = await makePostgresEventStore({
    runtime: systemRuntime,
    connectionString,
    onConnectionEvent: () => undefined,
  });
  if (E.isLeft(opened)) throw opened.left;
  const store = opened.right;
  const projections = startProjections({
    runtime: systemRuntime,
    store,
    projections: readModelsOf(registry),
    storage: ownStorage(connectionString),
    projector: true,
    isSoleProcess: true,
    rollbackWindowMs: 60_000,
    onEvent: () => undefined,
  });
  try {
    const last = await write(store);
    const shown = await Promise.all(projections.all.map(({ progress }) => untilShown(progress, last)));
    if (shown.includes(false)) throw new Error('the log was not projected in time');
  } finally {
    await projections.stop();
    await store.close();
  }
};
