import { either as E } from 'fp-ts';
import type { Pool } from 'pg';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { Checkpoint, From } from '../../../src/event-sourcing/recorded-event.js';
import type { DomainEvent } from '../../../src/event-sourcing/serde.js';
import type { Projection } from '../../projection.js';
import { dropOutdated } from '../instance/drop-outdated.js';
import { readInstance, readLive } from '../instance/instance.js';
import { mismatchOf, refuseOtherOrigin } from '../instance/origin.js';
import { withSkips } from '../parked/skips.js';
import { migrate } from '../schema.js';
import { isRefusal } from '../write-with-parking.js';
import { bulkLoad } from './bulk-load.js';
import { compareWithLive, type Compared, type Differences } from './compare-with-live.js';
import { loadByStream, type MakeLoaders } from './load-by-stream.js';
import { RowsRefused } from './load-stretch.js';
import { discard, openRebuild, finishTable, type Opened } from './open-rebuild.js';
import { makeRebuilding, type Rebuilding } from './rebuilding.js';
import { refuseWriters } from './replace-foreign.js';
import { abandonPlan } from './stretches.js';
import { switchTo } from './switch-to.js';
import { withLease } from './with-lease.js';

/** How a rebuild tells how it goes. */
type RebuildObserver = {
  readonly onOpened: (instance: string, resumedAt: From) => void;
  /** An earlier rebuild has loaded so many of the parts in which the log is loaded. */
  readonly onPartsLoaded: (loaded: number, parts: number) => void;
  /** `events`: folded so far by this process; `share`: of all that is to be folded, 0 to 1. */
  readonly onProgress: (events: number, share: number) => void;
  readonly onBuilt: () => void;
};

export type RebuildOptions<State, Event extends DomainEvent> = {
  readonly pool: Pool;
  readonly store: EventStore;
  readonly projection: Projection<State, Event>;
  /**
   * Drops what an unfinished rebuild has built; and live rows that show what this log does not hold are replaced without
   * a comparison.
   */
  readonly isFromScratch: boolean;
  /** From scratch, and live rows that were made from a log of another name are replaced, too. */
  readonly isFromOtherLog?: boolean;
  readonly differences: Differences;
  /**
   * What to do with the rows; asked once they have been compared (undefined: there are no live rows). `signal` aborts
   * when the answer is of no use any more.
   */
  readonly decide: (compared: Compared | undefined, signal: AbortSignal) => Promise<'switch' | 'keep' | 'drop'>;
  readonly observer: RebuildObserver;
  /** Loads the rows of a log that can be read by stream. Default: this thread. */
  readonly makeLoaders?: MakeLoaders | undefined;
  readonly signal: AbortSignal;
};

export type Rebuilt = {
  readonly instance: string;
  readonly compared: Compared | undefined;
  readonly outcome: 'Switched' | 'Kept' | 'Dropped';
};

/** Where the rows are loaded up to: where the live ones are, or the head of the log; undefined when it is empty. */
const endOfLoad = async <State, Event extends DomainEvent>(
  { writer: { pool, projection }, live: standsBeside }: Rebuilding<State, Event>,
  store: EventStore,
): Promise<Checkpoint | undefined> => {
  const live = await standsBeside(pool);
  if (live !== undefined && live.checkpoint !== 'start') return live.checkpoint;
  const head = await store.head([projection.category]);
  if (E.isLeft(head)) throw head.left;
  return head.right === undefined ? undefined : { commit: head.right, prepare: head.right };
};

const load = async <State, Event extends DomainEvent>(
  { store, observer, makeLoaders }: RebuildOptions<State, Event>,
  rebuilding: Rebuilding<State, Event>,
): Promise<void> => {
  const { writer, checkpoint, standAt, toLive, signal } = rebuilding;
  const upTo = await endOfLoad(rebuilding, store);
  if (upTo === undefined) return;
  const from = checkpoint();
  const { onProgress, onPartsLoaded } = observer;
  try {
    standAt(
      store.byStream !== undefined && from === 'start'
        ? await loadByStream(writer, store.byStream, upTo.commit, { makeLoaders, signal, onProgress, onPartsLoaded })
        : await bulkLoad(writer, store, from, { upTo, signal, onProgress }),
    );
  } catch (error) {
    if (error instanceof RowsRefused) await abandonPlan(writer);
    else if (!isRefusal(error)) throw error;
    // what was written before the refusal stays
    standAt((await readInstance(writer.pool, writer.instance.name))?.checkpoint ?? from);
    await toLive();
  }
  signal.throwIfAborted();
};

const run = async <State, Event extends DomainEvent>(
  options: RebuildOptions<State, Event>,
  { instance, lease, isReplacing }: Opened,
  signal: AbortSignal,
): Promise<Rebuilt> => {
  const { pool, store, projection, observer, differences, decide } = options;
  await refuseOtherOrigin(store, projection.name, instance);
  const rebuilding = makeRebuilding({ pool, projection, instance, lease, notifies: false }, store, signal, isReplacing);
  await load(options, rebuilding);
  await finishTable(pool, projection, instance);
  await rebuilding.toLive();
  observer.onBuilt();
  const compared = await compareWithLive(rebuilding, differences);
  const decision = await decide(compared, signal);
  signal.throwIfAborted();
  if (decision === 'switch') {
    await switchTo(rebuilding);
    // while somebody reads what was replaced before, the service drops it later
    await dropOutdated(pool, projection, null).catch(() => undefined);
  }
  if (decision === 'drop') await discard(pool, instance);
  const outcome = { switch: 'Switched', keep: 'Kept', drop: 'Dropped' } as const;
  return { instance: instance.name, compared, outcome: outcome[decision] };
};

/** Whether live rows are to be replaced that are not of this log. Throws `ProjectionRefused` for those that are not to be. */
const findOtherOrigin = async <State, Event extends DomainEvent>({
  pool,
  store,
  projection: { name },
  isFromScratch,
  isFromOtherLog,
}: RebuildOptions<State, Event>): Promise<boolean> => {
  const live = await readLive(pool, name);
  const mismatch = live && (await mismatchOf(store, name, live));
  if (mismatch === undefined) return false;
  if (isFromOtherLog !== true && !(isFromScratch && mismatch.mismatch === 'OtherPast')) throw mismatch;
  await refuseWriters(pool, name);
  return true;
};

/**
 * Makes the rows of a projection anew from the log, beside the live ones and while the service goes on, compares both
 * at one position, and switches, keeps or drops them as `decide` says. Ended at any moment it leaves the live rows
 * untouched, and the next rebuild goes on where it was. Rejects with the signal's reason when aborted, `RebuildRefused`,
 * `ProjectionRefused`, `NotLevel`, `Deposed`, and whatever log and database throw.
 */
export const rebuild = async <State, Event extends DomainEvent>(
  options: RebuildOptions<State, Event>,
): Promise<Rebuilt> => {
  const { pool, store, projection, observer, signal } = options;
  const identity = await store.identity();
  if (E.isLeft(identity)) throw identity.left;
  await migrate(pool);
  const isReplacing = await findOtherOrigin(options);
  const isFromScratch = isReplacing || options.isFromScratch || options.isFromOtherLog === true;
  const opened = await openRebuild(pool, projection, identity.right, { isFromScratch, isReplacing, signal });
  return withLease(pool, opened.lease, signal, async (ends) => {
    observer.onOpened(opened.instance.name, opened.instance.checkpoint);
    return run({ ...options, projection: await withSkips(store, projection) }, opened, ends);
  });
};
