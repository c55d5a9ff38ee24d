import { LEASE_MS } from '../../../projections/engine/generation/lease.js';
import { makeManualClock } from '../../support/manual-clock.js';
import { makeMemoryStorage } from '../../support/memory-storage/memory-storage.js';
import type { Place } from './storage-under-test.js';

/** In this process; time passes when the suite says so. */
export const memoryPlace = (): Place => {
  const clock = makeManualClock();
  const storage = makeMemoryStorage({ clock });
  return {
    one: storage,
    other: storage,
    keepLeases: () => Promise.resolve(),
    keptSeconds: 0,
    letLeaseExpire: () => clock.advance(LEASE_MS + 1),
    acknowledged: (readModel, logIdentity) => Promise.resolve(storage.acknowledged(readModel, logIdentity)),
    close: () => Promise.resolve(),
  };
};
