import { orThrow } from '../../event-sourcing/attempt.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import type { From, StoredEvent } from '../../event-sourcing/recorded-event.js';

/** How far rows are behind the log: events not yet in them, and the age of the oldest of those in seconds. */
type Lag = { readonly events: number; readonly seconds: number };

/** Counting ends here: nobody needs a larger number exactly. */
export const MAX_COUNTED = 10_000;

const ageOf = ({ metadata }: StoredEvent, now: Date): number => {
  const { at } = JSON.parse(metadata) as { readonly at?: string }; // reason: an envelope is a JSON object
  const age = at === undefined ? 0 : (now.getTime() - Date.parse(at)) / 1000;
  return Number.isFinite(age) && age > 0 ? age : 0;
};

/**
 * Counts the events of some categories after a checkpoint, at most `MAX_COUNTED`. Asks only for the head while there are
 * none. Rejects with the store's failure.
 */
export const lagOf = async (
  store: EventStore,
  categories: ReadonlyArray<string>,
  after: From,
  now: Date,
): Promise<Lag> => {
  const head = orThrow(await store.head(categories));
  if (head === undefined || (after !== 'start' && head <= after.commit)) return { events: 0, seconds: 0 };
  let events = 0;
  let seconds = 0;
  for await (const batch of store.readAll({ after, categories })) {
    const [oldest] = batch.events;
    if (events === 0 && oldest !== undefined) seconds = ageOf(oldest, now);
    events += batch.events.length;
    if (events >= MAX_COUNTED) break;
  }
  return { events: Math.min(events, MAX_COUNTED), seconds };
};
