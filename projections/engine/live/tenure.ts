import { either as E } from 'fp-ts';
import type { Pool } from 'pg';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { Checkpoint, From, Position } from '../../../src/event-sourcing/recorded-event.js';
import type { DomainEvent } from '../../../src/event-sourcing/serde.js';
import { pause } from '../../../src/event-sourcing/pause.js';
import type { Projection } from '../../projection.js';
import { makeApplyBatch } from '../apply-batch.js';
import { type Instance, readInstance, type Role, tableOf } from '../instance/instance.js';
import { Deposed, keepLease, type Lease } from '../instance/lease.js';
import { mergeBatches } from './merge-batches.js';
import type { OnNotice } from '../notice.js';
import { withSkips } from '../parked/skips.js';
import type { Progress } from './progress.js';
import { repeat } from '../repeat.js';
import { makeStatistics } from './statistics.js';
import { switchLive } from './switch-live.js';
import { unpark } from '../parked/unpark.js';
import { type Writer, writeStep } from '../write-batch.js';

const MERGE = { events: 500, bytes: 4_000_000 };
/** How often, at most, a checkpoint is stored that moved over events of others alone. */
const STEP_MS = 1_000;
const SWITCH_MS = 250;
/** How often one who has nothing to write looks whether its instance is still the live one. */
const LOOK_MS = 1_000;

/** The instance was live and is no more: its rows are whole, and others are to be followed now. */
export class Replaced extends Error {
  constructor(instance: string) {
    super(`${instance} is not live any more`);
    this.name = 'Replaced';
  }
}

export type EngineDeps<State, Event extends DomainEvent> = {
  readonly pool: Pool;
  readonly store: EventStore;
  readonly projection: Projection<State, Event>;
  readonly progress: Progress;
  /** Whether other processes wait for the checkpoint. */
  readonly notifies: boolean;
  readonly onNotice: OnNotice;
};

/** In which role an instance is written, and how far it has come. */
export type Standing = { readonly role: Role; readonly checkpoint: From };

type Tenure<State, Event extends DomainEvent> = EngineDeps<State, Event> & {
  readonly writer: Writer<State, Event>;
  readonly standing: () => Standing;
  readonly stand: (standing: Standing) => void;
};

const commitOf = (from: From): Position => (from === 'start' ? -1n : from.commit);

const follow = async <State, Event extends DomainEvent>(
  { store, projection, pool, writer, standing, stand, onNotice }: Tenure<State, Event>,
  signal: AbortSignal,
): Promise<void> => {
  const apply = makeApplyBatch(writer, onNotice);
  const statistics = makeStatistics(pool, tableOf(writer.instance));
  const range = { after: standing().checkpoint, categories: [projection.category] };
  let stored = range.after;
  let storedAt = performance.now();

  const settle = (role: Role | undefined, checkpoint: Checkpoint): void => {
    if (role === undefined) throw new Deposed(writer.instance.name);
    [stored, storedAt] = [checkpoint, performance.now()];
    // what was written is not what readers see any more: nobody who waits for it is told
    if (standing().role === 'live' && role !== 'live') throw new Replaced(writer.instance.name);
    stand({ role, checkpoint });
  };
  const storeStep = async (checkpoint: From): Promise<void> => {
    if (checkpoint === 'start' || commitOf(checkpoint) === commitOf(stored)) return;
    settle(await writeStep(pool, writer, { from: stored, to: checkpoint, last: undefined }), checkpoint);
  };

  if (stored !== 'start') await unpark(writer, store, stored, onNotice);
  for await (const { events, checkpoint } of mergeBatches((leave) => store.subscribe(range, leave), MERGE, signal)) {
    if (events.length > 0) {
      settle(await apply({ from: stored, to: checkpoint }, events), checkpoint);
      statistics.wrote(events.length);
    } else {
      stand({ ...standing(), checkpoint });
      if (performance.now() - storedAt >= STEP_MS) await storeStep(checkpoint);
    }
  }
  await storeStep(standing().checkpoint);
};

const lookWhetherLive = async <State, Event extends DomainEvent>(
  { pool, writer: { instance }, standing }: Tenure<State, Event>,
  replaced: () => void,
): Promise<void> => {
  if (standing().role !== 'live') return;
  try {
    const now = await readInstance(pool, instance.name);
    if (now?.role !== 'live') replaced();
  } catch {
    // the database is away: asked again, and by every write
  }
};

const switchWhenLevel = async <State, Event extends DomainEvent>(tenure: Tenure<State, Event>): Promise<void> => {
  const { store, projection, writer, standing, stand, onNotice } = tenure;
  if (standing().role === 'live') return;
  try {
    const head = await store.head([projection.category]);
    if (E.isLeft(head)) return;
    if (!(await switchLive(writer, commitOf(standing().checkpoint), head.right))) return;
    stand({ ...standing(), role: 'live' });
    onNotice({ _tag: 'Switched', projection: projection.name, instance: writer.instance.name });
  } catch {
    // database or log are away: asked again
  }
};

/**
 * Projects an instance as the holder of its lease, until `signal` aborts; `begin` is given a look at where it stands.
 * Throws `Deposed` when another took over, `Replaced` when others became live instead, and whatever log and database
 * throw.
 */
export const holdTenure = async <State, Event extends DomainEvent>(
  deps: EngineDeps<State, Event>,
  instance: Instance,
  lease: Lease,
  signal: AbortSignal,
  begin: (standing: () => Standing) => void,
): Promise<void> => {
  const { pool, store, progress, notifies } = deps;
  const projection = await withSkips(store, deps.projection);
  let current: Standing = instance;
  const stand = (standing: Standing): void => {
    current = standing;
    if (standing.role === 'live') progress.advance(commitOf(standing.checkpoint));
  };
  const writer = { pool, projection, instance, lease, notifies };
  const tenure = { ...deps, projection, writer, stand, standing: () => current };
  const over = new AbortController();
  const ends = AbortSignal.any([signal, over.signal]);
  stand(instance);
  begin(tenure.standing);
  const renewing = keepLease(pool, lease, () => over.abort(), ends);
  const looking = repeat(LOOK_MS, ends, () => lookWhetherLive(tenure, () => over.abort(new Replaced(instance.name))));
  // one that was just replaced is in no hurry: who replaced it may be about to stop, as this process is
  const patience = instance.role === 'previous' ? SWITCH_MS : 0;
  const switching = pause(patience, ends).then(() => repeat(SWITCH_MS, ends, () => switchWhenLevel(tenure)));
  try {
    await follow(tenure, ends);
    if (!signal.aborted) throw over.signal.reason instanceof Replaced ? over.signal.reason : new Deposed(instance.name);
  } finally {
    over.abort();
    await Promise.all([renewing, looking, switching]);
  }
};
