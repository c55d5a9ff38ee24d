import { either as E } from 'fp-ts';
import type { ByStream } from '../../../src/event-sourcing/event-store.js';
import type { Checkpoint, Position } from '../../../src/event-sourcing/recorded-event.js';
import type { DomainEvent } from '../../../src/event-sourcing/serde.js';
import type { Instance } from '../instance/instance.js';
import type { Lease } from '../instance/lease.js';
import type { Writer } from '../write-batch.js';
import { type LoadingStretch, loadStretch } from './load-stretch.js';
import { finishPlan, type LoadPlan, type PlannedStretch, readPlan, writePlan } from './stretches.js';

/** About so many events are lost by a crash, at most, for each loader; a second's work. */
const EVENTS_EACH = 50_000;

/** Loads one stretch after another, as `loadStretch`. */
export type Loader = (stretch: PlannedStretch, upTo: Position, loading: LoadingStretch) => Promise<void>;

/** What another thread must know to write the same instance. */
type LoadJob = { readonly instance: Instance; readonly lease: Lease };

/** Loaders that work side by side, each on a stretch of its own. */
export type MakeLoaders = (job: LoadJob) => {
  readonly loaders: ReadonlyArray<Loader>;
  readonly close: () => Promise<void>;
};

type LoadByStream = {
  readonly makeLoaders: MakeLoaders | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (events: number, share: number) => void;
  readonly onPartsLoaded: (loaded: number, parts: number) => void;
};

const planOf = async <State, Event extends DomainEvent>(
  writer: Writer<State, Event>,
  order: ByStream,
  upTo: Position,
): Promise<LoadPlan> => {
  const found = await readPlan(writer);
  if (found !== undefined) return found;
  const stretches = await order.divide(writer.projection.category, EVENTS_EACH);
  if (E.isLeft(stretches)) throw stretches.left;
  await writePlan(writer.pool, writer.instance, stretches.right, upTo);
  return {
    upTo,
    stretches: stretches.right.length,
    missing: stretches.right.map((stretch, number) => ({ ...stretch, number: number + 1 })),
  };
};

/** Runs every loader until nothing is missing; the first failure ends them all. */
const loadAll = async (
  loaders: ReadonlyArray<Loader>,
  { missing, stretches, upTo }: LoadPlan,
  { signal, onProgress }: Omit<LoadByStream, 'makeLoaders'>,
): Promise<void> => {
  const queue = [...missing];
  const failed = new AbortController();
  const ends = AbortSignal.any([signal, failed.signal]);
  let events = 0;
  let loaded = stretches - missing.length;
  const onEvents = (count: number): void => {
    events += count;
    onProgress(events, loaded / stretches);
  };
  const work = async (load: Loader): Promise<void> => {
    try {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        ends.throwIfAborted();
        await load(next, upTo, { onEvents, signal: ends });
        loaded += 1;
      }
    } catch (error) {
      failed.abort(error);
    }
  };
  await Promise.all(loaders.map(work));
  // the first reason: what the others say is that they were ended
  ends.throwIfAborted();
};

/**
 * Fills an instance that has no checkpoint yet from a log that can be read by stream: every stretch of streams in a
 * transaction of its own, so that what is loaded stays when the process ends; the checkpoint moves to the end when all
 * are there. Throws the signal's reason when aborted, `RowsRefused`, `Deposed`, and whatever log and database throw.
 */
export const loadByStream = async <State, Event extends DomainEvent>(
  writer: Writer<State, Event>,
  order: ByStream,
  upTo: Position,
  { makeLoaders, ...loading }: LoadByStream,
): Promise<Checkpoint> => {
  const here: Loader = (stretch, end, options) => loadStretch(writer, order, stretch, end, options);
  // threads begin while it is planned what they are to load
  const { loaders, close } = makeLoaders?.(writer) ?? { loaders: [here], close: () => Promise.resolve() };
  try {
    const plan = await planOf(writer, order, upTo);
    const loaded = plan.stretches - plan.missing.length;
    if (loaded > 0) loading.onPartsLoaded(loaded, plan.stretches);
    await loadAll(loaders, plan, loading);
    return await finishPlan(writer, plan.upTo);
  } finally {
    await close();
  }
};
