import type { either as E } from 'fp-ts';
import type { EventKeys } from '../event-sourcing/event-key.js';
import type { AppendRejected, EventStore, StoreUnavailable } from '../event-sourcing/event-store.js';
import { recordBySettings } from '../event-sourcing/operators/decided-by-settings.js';
import type { Runtime } from '../event-sourcing/runtime.js';

/**
 * Records in the log that checkpoints are not signed from now on, or are again, unless the log says so already: what is
 * appended meanwhile can be taken away unseen. True when it was recorded now. Throws what the log throws.
 */
export const recordSealing = (
  runtime: Runtime,
  store: Pick<EventStore, 'readStream' | 'append'>,
  isOn: boolean,
  keys: EventKeys,
): Promise<E.Either<AppendRejected | StoreUnavailable, boolean>> =>
  recordBySettings(
    runtime,
    store,
    { type: 'SealingSwitched', data: { isOn } },
    // they are signed until somebody says otherwise
    (last) => (last?.isOn ?? true) === isOn,
    keys,
  );
