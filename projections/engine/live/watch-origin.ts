import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { type Instance, readLive } from '../instance/instance.js';
import { mismatchOf } from '../instance/origin.js';
import type { ProjectionRefused } from '../instance/projection-refused.js';
import { repeat } from '../repeat.js';
import { type Database, isInstalled } from '../schema.js';

const LOOK_MS = 1_000;
/** Rows that were found to be of this log are examined again so often, ms: a log can be replaced under a process. */
const AGAIN_MS = 10_000;

/** Whether the live rows of a read model are of the log that this process works on. */
type OriginWatch = {
  /** Whether an answer was sought, with whatever success. */
  readonly hasLooked: () => boolean;
  /** Found to be so; not before it was found. */
  readonly isOwn: () => boolean;
  /** Why they are not, as was found last; undefined while nothing is known against them. */
  readonly mismatch: () => ProjectionRefused | undefined;
  readonly stopped: Promise<void>;
};

/**
 * Examines the live rows at once, again whenever others are live, and now and then. What cannot be asked, as log or
 * database are away, stays as it was found before. `onChange` hears each new answer.
 */
export const watchOrigin = (
  {
    database,
    store,
    projection,
  }: { readonly database: Database; readonly store: EventStore; readonly projection: string },
  onChange: (mismatch: ProjectionRefused | undefined) => void,
  signal: AbortSignal,
): OriginWatch => {
  let looked = false;
  let own: { readonly instance: string; readonly at: number } | undefined;
  let mismatch: ProjectionRefused | undefined;

  const isKnown = ({ name }: Instance): boolean => own?.instance === name && performance.now() - own.at < AGAIN_MS;

  const examine = async (): Promise<void> => {
    const live = (await isInstalled(database)) ? await readLive(database, projection) : undefined;
    if (live !== undefined && isKnown(live)) return;
    const found = live && (await mismatchOf(store, projection, live));
    own = live && found === undefined ? { instance: live.name, at: performance.now() } : undefined;
    if (found?.message === mismatch?.message) return;
    mismatch = found;
    onChange(found);
  };

  const look = async (): Promise<void> => {
    try {
      await examine();
    } catch {
      // log or database are away: asked again
    }
    looked = true;
  };

  return {
    hasLooked: () => looked,
    isOwn: () => own !== undefined,
    mismatch: () => mismatch,
    stopped: repeat(LOOK_MS, signal, look),
  };
};
