import { orThrow } from '../../event-sourcing/attempt.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import type { Position } from '../../event-sourcing/recorded-event.js';

/** How much of the log, as it is now, lies before a position: 0 to 1. Throws `StoreUnavailable`. */
export const shareOfLog = async (store: EventStore, from: Position = 0n): Promise<(reached: Position) => number> => {
  const head = orThrow(await store.head());
  const length = Number((head ?? 0n) - from);
  return (reached) => (length <= 0 ? 1 : Number(reached - from) / length);
};
