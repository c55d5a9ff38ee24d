import { orThrow } from '../../../src/event-sourcing/attempt.js';
import type { Decisions } from '../../../src/event-sourcing/decisions.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { Checkpoint, From, Position, StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import { repeat } from '../../../src/event-sourcing/clock.js';
import type { Runtime } from '../../../src/event-sourcing/runtime.js';
import { categoriesOf, type ReadModel } from '../../read-model.js';
import type { OnEngineEvent } from '../engine-event.js';
import { EngineError, leaseLost, type WrongLog } from '../engine-failure.js';
import { commitOf, type Generation, type GenerationState, liveOf, type Role } from '../generation/generation.js';
import type { Lease } from '../generation/lease.js';
import { whileHeld } from '../generation/while-held.js';
import { withSkips } from '../parked/skips.js';
import { makeApplyBatch } from '../rows/apply-batch.js';
import { mergeBatches } from '../rows/merge-batches.js';
import { makeTaskRunner } from '../run-task.js';
import type { ReadModelStorage, RowStorage, Writer } from '../storage.js';
import type { Progress } from './progress.js';
import { resumeEntities } from './resume-entities.js';

/** How many events are written together at most, and how long nothing is written after that unless somebody waits, ms. */
const PACES = {
  /** A command waits for its row. */
  entity: { merge: { events: 500, bytes: 4_000_000 }, restMs: 0 },
  /** Nobody waits as a rule, and large batches cost much less. */
  event: { merge: { events: 1_000, bytes: 4_000_000 }, restMs: 250 },
} as const;
/** How often, at most, the checkpoint is stored when it only moved over events of other categories. */
const STEP_MS = 1_000;
const SWITCH_MS = 250;
/**
 * How often a projector checks that its generation is still the live one, of this log, and not put back: without events
 * it would not notice.
 */
const CHECK_MS = 1_000;

export type EngineDeps = {
  readonly runtime: Runtime;
  readonly storage: ReadModelStorage;
  readonly store: EventStore;
  readonly projection: ReadModel;
  readonly progress: Progress;
  /** What the commands of this process decide; undefined where they run elsewhere. */
  readonly decisions: Decisions | undefined;
  /** Why the rows of a generation are not of this log, when that was found while they are written. */
  readonly wrongLogOf: (generation: string) => WrongLog | undefined;
  /** Whether to notify other processes of checkpoints. */
  readonly notifies: boolean;
  readonly onEvent: OnEngineEvent;
};

/** Role and checkpoint of the generation that a run writes. */
export type RunStatus = { readonly role: Role; readonly checkpoint: From };

const replaced = (generation: string): EngineError =>
  new EngineError({ _tag: 'Replaced', message: `${generation} is not live any more` });

/** Projects one generation, from acquiring its lease to losing it or stopping. */
class ProjectorRun {
  readonly #deps: EngineDeps;
  readonly #writer: Writer;
  readonly #forgotten: number;
  /** The checkpoint that the rows have, as this run has left it. */
  #stored: From;
  #status: RunStatus;

  constructor(deps: EngineDeps, generation: Generation, lease: Lease) {
    const { projection, notifies } = deps;
    this.#deps = deps;
    this.#writer = { projection, generation, lease, notifies };
    this.#status = generation;
    this.#stored = generation.checkpoint;
    this.#forgotten = deps.progress.forgotten();
    if (generation.role === 'live') deps.progress.fallBack(commitOf(generation.checkpoint));
    this.#setStatus(generation);
  }

  get status(): RunStatus {
    return this.#status;
  }

  #setStatus(status: RunStatus): void {
    const { progress } = this.#deps;
    this.#status = status;
    // the log that it has followed may have lost events since it began
    if (status.role === 'live' && progress.forgotten() === this.#forgotten)
      progress.advance(commitOf(status.checkpoint));
  }

  /** Applies the events of the log as they come; resolves when `signal` aborts. */
  follow(signal: AbortSignal): Promise<void> {
    return this.#deps.storage.whileWriting((rows) => this.#followBy(rows, signal));
  }

  async #followBy(rows: RowStorage, signal: AbortSignal): Promise<void> {
    const { store, projection, progress, onEvent } = this.#deps;
    const { clock } = this.#deps.runtime;
    const writer = this.#writer;
    const { merge, restMs } = PACES[projection.rowFor];
    const range = { after: this.#status.checkpoint, categories: categoriesOf(projection) };
    let storedAt = clock.monotonic();

    const handOver =
      projection.rowFor === 'entity'
        ? await resumeEntities({ ...writer, projection }, this.#deps, range.after)
        : undefined;
    const { prepare } = makeApplyBatch(rows, writer, { onEvent, handOver });

    const write = async (to: Checkpoint, events: ReadonlyArray<StoredEvent>): Promise<void> => {
      if (events.length === 0 && commitOf(to) === commitOf(this.#stored)) return;
      const { name } = writer.generation;
      // rows that were replaced must not get ahead of those that are live: nobody could switch back to them
      const mustBeLive = this.#status.role === 'live';
      const role = await (await prepare(events)).write({ from: this.#stored, to, mustBeLive });
      if (role === undefined) throw (await this.findEnd()) ?? leaseLost(name);
      [this.#stored, storedAt] = [to, clock.monotonic()];
      this.#setStatus({ role, checkpoint: to });
    };

    for await (const { events, checkpoint } of mergeBatches((leave) => store.subscribe(range, leave), merge, signal)) {
      if (events.length > 0) {
        await write(checkpoint, events);
        if (restMs > 0) await progress.untilAwaited(restMs, signal);
      } else {
        this.#setStatus({ ...this.#status, checkpoint });
        if (clock.monotonic() - storedAt >= STEP_MS) await write(checkpoint, []);
      }
    }
    const { checkpoint } = this.#status;
    if (checkpoint !== 'start') await write(checkpoint, []);
  }

  /**
   * Why this run must end, as the row of its generation tells: another one has become the live one instead, or the rows
   * are behind what this run has written, since their database was put back.
   */
  async findEnd(): Promise<EngineError | undefined> {
    const { name } = this.#writer.generation;
    const [wasLive, written] = [this.#status.role === 'live', commitOf(this.#stored)];
    const { storage, projection } = this.#deps;
    const now = (await storage.generations(projection.name)).find((each) => each.name === name);
    if (wasLive && now?.role !== 'live') return replaced(name);
    return now !== undefined && commitOf(now.checkpoint) < written ? leaseLost(name) : undefined;
  }

  /**
   * Makes the generation the live one when it has caught up with the live one or with the log. A generation that was
   * live before replaces only one that no process writes any more: otherwise two versions that run at the same time
   * would replace each other again and again.
   */
  async switchWhenLevel(): Promise<void> {
    if (this.#status.role === 'live') return;
    const { storage, store, projection, onEvent } = this.#deps;
    const { generation, lease } = this.#writer;
    const { name } = generation;
    const head = orThrow(await store.head(categoriesOf(projection)));
    const reached = commitOf(this.#status.checkpoint);
    const decide = (generations: ReadonlyArray<GenerationState>) => {
      const live = liveOf(generations);
      if (this.#status.role === 'previous' && live?.holder !== undefined) return undefined;
      if (!isAtLeast(reached, live) && head !== undefined && reached < head) return undefined;
      const isUnused = (each: GenerationState): boolean =>
        each.holder === undefined && !each.isEvidence && each.name !== name && each !== live;
      return { makeLive: name, drop: generations.filter(isUnused).map((each) => each.name) };
    };
    const changed = await storage.change(projection, decide, { lease, isBrief: true });
    if (changed === undefined) return;
    this.#setStatus({ ...this.#status, role: 'live' });
    onEvent({ _tag: 'Switched', projection: projection.name, generation: name });
  }
}

const isAtLeast = (position: Position, live: Generation | undefined): boolean =>
  position >= (live === undefined ? -1n : commitOf(live.checkpoint));

/**
 * Projects a generation, whose lease must be held, until `signal` aborts. Gives `onBegin` a function that reads the
 * status. Throws `LeaseLost` when another process took over, `Replaced` when another generation became the live one,
 * `WrongLog` when the rows were found to be of another log, and whatever log and database throw.
 */
export const runProjector = async (
  given: EngineDeps,
  generation: Generation,
  lease: Lease,
  signal: AbortSignal,
  onBegin: (status: () => RunStatus) => void,
): Promise<void> => {
  const { storage, store, wrongLogOf, onEvent } = given;
  const { clock } = given.runtime;
  const projection = await withSkips(store, given.projection);
  const run = new ProjectorRun({ ...given, projection }, generation, lease);
  onBegin(() => run.status);
  const runnerOf = (name: string) => makeTaskRunner({ projection: projection.name, name, onEvent });
  const [checking, switching] = [runnerOf('checking that the rows are live'), runnerOf('switching to the rows')];
  await whileHeld(clock, storage, lease, signal, async (held) => {
    const over = new AbortController();
    const ends = AbortSignal.any([held, over.signal]);
    const check = repeat(clock, CHECK_MS, ends, () =>
      checking(async () => {
        const wrongLog = wrongLogOf(generation.name);
        const end = wrongLog === undefined ? await run.findEnd() : new EngineError(wrongLog);
        if (end !== undefined) over.abort(end);
      }),
    );
    // one that was just replaced waits first: the process that replaced it may be about to stop, as this one may
    const delay = generation.role === 'previous' ? SWITCH_MS : 0;
    const switches = clock
      .sleep(delay, ends)
      .then(() => repeat(clock, SWITCH_MS, ends, () => switching(() => run.switchWhenLevel())));
    try {
      await run.follow(ends);
      if (signal.aborted) return;
      ends.throwIfAborted();
      throw leaseLost(generation.name);
    } finally {
      over.abort();
      await Promise.all([check, switches]);
    }
  });
};
