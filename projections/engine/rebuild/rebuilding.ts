import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { Checkpoint, From } from '../../../src/event-sourcing/recorded-event.js';
import { makeRetry } from '../../../src/event-sourcing/retry.js';
import type { Runtime } from '../../../src/event-sourcing/runtime.js';
import { withTimeLimit } from '../../../src/event-sourcing/time-limit.js';
import type { Database } from '../../../src/postgres/pool.js';
import { runIn } from '../../../src/postgres/statement.js';
import type { PoolClient } from 'pg';
import { EngineError } from '../engine-failure.js';
import { type Generation, readGeneration, readLive } from '../generation/generation.js';
import { whileLevel } from '../generation/switch.js';
import { makeApplyBatch } from '../rows/apply-batch.js';
import { LARGE_CACHE } from '../rows/apply-to-entities.js';
import type { ApplyBatch } from '../rows/prepared-batch.js';
import { catchUp } from '../rows/catch-up.js';
import type { Writer } from '../rows/write-batch.js';

type RebuildingDeps = {
  readonly runtime: Runtime;
  readonly writer: Writer;
  readonly store: EventStore;
  readonly signal: AbortSignal;
  /** Whether the live rows are of another log, so that they are not compared with. */
  readonly isReplacing?: boolean;
};

/** Events that may be left to the last step, during which writers of the live rows wait. */
const SHORT_TAIL = 200;
const PASSES = 20;
/** How long one attempt to catch up fully may hold up the writers of the live rows, ms. */
const LEVEL_TIMEOUT = 300;
const ATTEMPTS = { attempts: 200, first: 500, longest: 500 };

/** A generation that a command writes beside the live one, and its checkpoint. */
export class Rebuilding {
  readonly writer: Writer;
  readonly signal: AbortSignal;
  readonly #runtime: Runtime;
  readonly #store: EventStore;
  readonly #isReplacing: boolean;
  readonly #apply: ApplyBatch;
  #checkpoint: From;

  constructor({ runtime, writer, store, signal, isReplacing = false }: RebuildingDeps) {
    this.writer = writer;
    this.signal = signal;
    this.#runtime = runtime;
    this.#store = store;
    this.#isReplacing = isReplacing;
    // parked entities are not reported here: the comparison shows where they differ from the live rows
    this.#apply = makeApplyBatch(writer, runIn(writer.pool), { onEvent: () => undefined, size: LARGE_CACHE });
    this.#checkpoint = writer.generation.checkpoint;
  }

  get checkpoint(): From {
    return this.#checkpoint;
  }

  /** The live generation; undefined when there is none of this log. */
  live(database: Database, lock?: 'for update'): Promise<Generation | undefined> {
    return this.#isReplacing ? Promise.resolve(undefined) : readLive(database, this.writer.projection.name, lock);
  }

  /** Sets the checkpoint after another function has written rows and checkpoint. */
  continueFrom(checkpoint: From): void {
    this.#checkpoint = checkpoint;
  }

  async rereadCheckpoint(): Promise<void> {
    const { pool, generation } = this.writer;
    this.#checkpoint = (await readGeneration(pool, generation.name))?.checkpoint ?? this.#checkpoint;
  }

  /** Applies the events up to a position, in large batches. */
  async load(upTo: Checkpoint, onBatch: (events: number, checkpoint: Checkpoint) => void): Promise<void> {
    const { signal } = this;
    await this.#catchUp({ upTo, signal, isLong: true, onBatch });
  }

  /** Catches up almost with the live rows, never beyond them; without live rows, with the head of the log. */
  async approachLive(): Promise<void> {
    for (let pass = 0; pass < PASSES; pass += 1) {
      const other = await this.live(this.writer.pool);
      if (other?.checkpoint === 'start') return;
      const upTo = other?.checkpoint;
      const events = await this.#catchUp({ ...(upTo && { upTo }), signal: this.signal });
      if (events < SHORT_TAIL) return;
    }
  }

  /**
   * Runs `work` in a transaction in which the live rows do not change and the generation is at the same position.
   * Throws `NotLevel` after many attempts, and the signal's reason when aborted.
   */
  async whileLevel<A extends object>(
    work: (client: PoolClient, live: Generation | undefined) => Promise<A>,
  ): Promise<A> {
    const { writer, signal } = this;
    const runtime = this.#runtime;
    const retry = makeRetry({ runtime, ...ATTEMPTS, signal });
    do {
      signal.throwIfAborted();
      // most of the events are applied here, while nobody waits
      await this.approachLive();
      const options = {
        readLive: (client: PoolClient) => this.live(client, 'for update'),
        isLevel: (live: Generation | undefined) =>
          withTimeLimit(runtime.clock, LEVEL_TIMEOUT, (limit) => this.#reach(live, limit)),
      };
      const done = await whileLevel(writer, options, work);
      if (done !== undefined) return done;
    } while (await retry.again());
    signal.throwIfAborted();
    throw new EngineError({
      _tag: 'NotLevel',
      message: `${writer.generation.name} could not catch up with the live rows: the log grows faster, clients read lists all the time, or a service has never written the live rows (start it)`,
    });
  }

  /** Catches up exactly with the live rows; false when the time was over first, or it is ahead of them. */
  async #reach(live: Generation | undefined, timeout: AbortSignal): Promise<boolean> {
    if (live === undefined) return true;
    if (live.checkpoint === 'start') return this.#checkpoint === 'start';
    const upTo = live.checkpoint;
    if (this.#checkpoint !== 'start' && this.#checkpoint.commit > upTo.commit) return false;
    await this.#catchUp({ upTo, signal: timeout });
    this.signal.throwIfAborted();
    const reached = this.#checkpoint;
    return reached !== 'start' && reached.commit === upTo.commit;
  }

  async #catchUp(options: Omit<Parameters<typeof catchUp>[4], 'clock'>): Promise<number> {
    const { clock } = this.#runtime;
    const caughtUp = await catchUp(this.writer, this.#store, this.#apply, this.#checkpoint, { clock, ...options });
    this.#checkpoint = caughtUp.checkpoint;
    return caughtUp.events;
  }
}
