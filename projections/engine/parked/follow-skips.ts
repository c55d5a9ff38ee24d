import { orThrow } from '../../../src/event-sourcing/attempt.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { OnLost } from '../../../src/event-sourcing/log-memory.js';
import type { ExpectedRevision } from '../../../src/event-sourcing/recorded-event.js';
import { noneSkipped, type SkippedEvents } from '../../../src/event-sourcing/passed-over.js';
import { decisionStream } from '../../../src/event-sourcing/operators/decision-events.js';
import type { OnEngineEvent } from '../engine-event.js';
import { type Clock, repeat } from '../../../src/event-sourcing/clock.js';
import { makeTaskRunner } from '../run-task.js';
import { readSkips } from './skips.js';

/** How often it is looked for new decisions, ms: so late do commands and earlier states pass over a skipped event. */
const LOOK_MS = 1_000;

type FollowedSkips = {
  /** The events of one projection that operators have decided to skip. */
  readonly of: (projection: string) => SkippedEvents;
  readonly stop: () => Promise<void>;
};

type Options = {
  readonly clock: Clock;
  readonly store: Pick<EventStore, 'readStream' | 'newestRevision'>;
  readonly projections: ReadonlyArray<string>;
  /** Tells when the log has lost events, and perhaps decisions. Default: it never does. */
  readonly onLost?: OnLost;
  readonly onEvent: OnEngineEvent;
};

/**
 * Knows the operators' decisions about some projections, and learns of each new one, whichever process records it.
 * Resolves when the present ones are known; without a log they are looked for again as all others are.
 */
export const followSkips = async ({ clock, store, projections, onLost, onEvent }: Options): Promise<FollowedSkips> => {
  let known = new Map<string, { readonly events: SkippedEvents; readonly newest: ExpectedRevision }>();
  onLost?.(() => (known = new Map()));

  const look = async (projection: string): Promise<void> => {
    // what was read of a log that has lost events since is void
    const knownBefore = known;
    const newest = orThrow(await store.newestRevision(decisionStream(projection)));
    if (newest === (knownBefore.get(projection)?.newest ?? 'no-stream')) return;
    // read after `newest`, so that it may hold more: then the next look reads it once more
    const { events } = await readSkips(store, projection);
    knownBefore.set(projection, { events, newest });
  };

  const looks = projections.map((projection) => {
    const run = makeTaskRunner({ projection, name: 'reading which events are skipped', onEvent });
    return () => run(() => look(projection));
  });
  await Promise.all(looks.map((each) => each()));
  const stopping = new AbortController();
  const looking = Promise.all(looks.map((each) => repeat(clock, LOOK_MS, stopping.signal, each)));

  return {
    of: (projection) => known.get(projection)?.events ?? noneSkipped,
    stop: async () => {
      stopping.abort();
      await looking;
    },
  };
};
