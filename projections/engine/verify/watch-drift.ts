import { either as E } from 'fp-ts';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { Runtime } from '../../../src/event-sourcing/runtime.js';
import type { Projection } from '../../projection.js';
import type { OnEngineEvent } from '../engine-event.js';
import { readWritableLive } from '../generation/writable-live.js';
import { makeTaskRunner } from '../run-task.js';
import type { OwnStorage } from '../storage.js';
import { makeDriftRounds } from './drift-rounds.js';
import { type Drift, findDrifts, type Verifier } from './find-drift.js';
import { type FoundDrift, type KnownDrifts, makeKnownDrifts } from './known-drifts.js';
import { measureOwnWork } from './own-work.js';
import { confirmedDrift } from './verify-rows.js';

/** Records that are compared at once: their rows come by one statement, and most of their histories by a few. */
const AT_ONCE = 100;
/** Least pause between two batches, ms. */
const PAUSE_MS = 500;
/** So many of them are between two rounds: few records need not be compared all the time. */
const PAUSES_A_ROUND = 10;
/**
 * The pause is at least so many times as long as the process has computed for a batch. Postgres computes two and a half times
 * as much (`bench:drift`), so that both together use a twentieth of a core at most.
 */
const REST = 69;
/** How often rows that differ are compared again, ms. */
const AGAIN_MS = 5_000;

type WatchDriftOptions = {
  readonly runtime: Runtime;
  readonly store: EventStore;
  readonly projections: ReadonlyArray<Projection>;
  /** The read model of all events, which knows the records that should have rows. */
  readonly ledger: string;
  /** Where the read models are. Closed when it has stopped. */
  readonly storage: OwnStorage;
  /** Whether this process writes the rows now: only one process compares. */
  readonly isProjecting: (projection: string) => boolean;
  /** Called once for each row that drifted, and again when other fields of it differ. */
  readonly onDrift: (drift: FoundDrift) => void;
  /** A row that drifted is as its stream makes it again. */
  readonly onGone: (drift: FoundDrift) => void;
  readonly onEvent: OnEngineEvent;
  /** After each batch. */
  readonly onCompared?: (records: number) => void;
  /** For tests: least pause between two batches, ms. */
  readonly pauseMs?: number;
};

type DriftWatch = {
  /** How many rows of a read model differ from their streams, of those that this process has come to; at most 1,000. */
  readonly drifted: (projection: string) => number;
  /** Resolves when its storage is closed. */
  readonly stop: () => Promise<void>;
};

/** The drift of each id that could be compared; throws the first error of the others, when all were compared. */
const compare = async (
  verifier: Verifier,
  given: Projection,
  ids: ReadonlyArray<string>,
  note: (id: string, drift: Drift | undefined) => void,
): Promise<void> => {
  const failures: Array<unknown> = [];
  for (const [index, found] of (await findDrifts(verifier, ids)).entries()) {
    const id = ids[index] ?? '';
    if (E.isLeft(found)) failures.push(found.left);
    else note(id, found.right === undefined ? undefined : await confirmedDrift(verifier, given, id));
  }
  if (failures.length > 0) throw failures[0];
};

const watch = async (options: WatchDriftOptions, known: KnownDrifts, signal: AbortSignal): Promise<void> => {
  const {
    storage,
    projections,
    ledger,
    isProjecting,
    onEvent,
    onCompared = () => undefined,
    pauseMs = PAUSE_MS,
  } = options;
  const { clock, random } = options.runtime;
  const work = measureOwnWork(clock, options.store);
  const rounds = makeDriftRounds(random, projections, ledger);
  const runners = new Map(
    projections.map(({ name: projection }) => [
      projection,
      makeTaskRunner({ projection, name: 'comparing rows with their streams', onEvent }),
    ]),
  );
  let againAt = 0;
  let again: ReadonlyArray<FoundDrift> = [];
  let isTurnOfOthers = false;

  /** Rows that differed come in turns with the others, every few seconds. */
  const takeAgain = (): { readonly projection: Projection; readonly ids: ReadonlyArray<string> } | undefined => {
    if (again.length === 0 && clock.monotonic() >= againAt) {
      again = known.all();
      againAt = clock.monotonic() + AGAIN_MS;
    }
    isTurnOfOthers = !isTurnOfOthers;
    const projection = projections.find(({ name }) => name === again[0]?.projection);
    if (isTurnOfOthers || projection === undefined) return undefined;
    const ids = again.filter((drift) => drift.projection === projection.name).slice(0, AT_ONCE);
    again = again.filter((drift) => !ids.includes(drift));
    return { projection, ids: ids.map(({ id }) => id) };
  };

  /** Gives how many were compared. */
  const compareSome = async (): Promise<number> => {
    for (const { name } of projections) if (!isProjecting(name)) known.forget(name);
    const differing = takeAgain();
    const projection = differing?.projection ?? rounds.current();
    if (!isProjecting(projection.name)) {
      if (differing === undefined) rounds.skip();
      return 0;
    }
    let compared = 0;
    await runners.get(projection.name)?.(async () => {
      const rows = storage.storedRows(projection, await readWritableLive(storage, projection));
      const ids = differing?.ids ?? (await rounds.next(rows, AT_ONCE));
      const verifier = { rows, store: work.store, projection };
      compared = ids.length;
      await compare(verifier, projection, ids, (id, drift) => known.note(projection.name, id, drift));
    });
    onCompared(compared);
    return compared;
  };

  while (!signal.aborted) {
    const [computedFor, ended] = [work.measure(), rounds.ended()];
    const rest = REST * computedFor(await compareSome());
    const pauses = rounds.ended() === ended ? 1 : PAUSES_A_ROUND;
    await clock.sleep(Math.max(pauses * pauseMs, rest), signal);
  }
};

/**
 * Compares the live rows with their streams all the time: a hundred at once, and no more of them than a twentieth of a core
 * allows. A row that differs stays as it is, as evidence, until somebody repairs it or a change of its record writes it.
 */
export const watchDrift = (options: WatchDriftOptions): DriftWatch => {
  const { storage, onDrift, onGone } = options;
  const stopping = new AbortController();
  const known = makeKnownDrifts({ onDrift, onGone });
  const watching = watch(options, known, stopping.signal);
  return {
    drifted: known.count,
    stop: async () => {
      stopping.abort();
      await watching;
      await storage.close();
    },
  };
};
