import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { Checkpoint, From } from '../../../src/event-sourcing/recorded-event.js';
import { makeRetry } from '../../../src/event-sourcing/retry.js';
import type { Database } from '../../../src/postgres/pool.js';
import type { PoolClient } from 'pg';
import { EngineError } from '../engine-failure.js';
import { type Generation, readGeneration, readLive } from '../generation/generation.js';
import { whileLevel } from '../generation/switch.js';
import { type ApplyBatch, makeApplyBatch } from '../rows/apply-batch.js';
import { catchUp } from '../rows/catch-up.js';
import type { Writer } from '../rows/write-batch.js';

type RebuildingDeps = {
  readonly writer: Writer;
  readonly store: EventStore;
  readonly signal: AbortSignal;
  /** Whether what is live is of another log, and nothing to go by. */
  readonly isReplacing?: boolean;
};

/** Fewer events than this are left to the last step, in which writers of the live rows wait. */
const SHORT_TAIL = 200;
const PASSES = 20;
/** How long, at most, a write of the service waits at one attempt to be level, ms: less than anybody notices. */
const LEVEL_TIMEOUT = 300;
const ATTEMPTS = { attempts: 200, first: 500, longest: 500 };

/** A generation beside the live one that a command writes, and how far it has come. */
export class Rebuilding {
  readonly writer: Writer;
  readonly signal: AbortSignal;
  readonly #store: EventStore;
  readonly #isReplacing: boolean;
  readonly #apply: ApplyBatch;
  #checkpoint: From;

  constructor({ writer, store, signal, isReplacing = false }: RebuildingDeps) {
    this.writer = writer;
    this.signal = signal;
    this.#store = store;
    this.#isReplacing = isReplacing;
    // what cannot be projected is counted in the comparison
    this.#apply = makeApplyBatch(writer, () => undefined);
    this.#checkpoint = writer.generation.checkpoint;
  }

  get checkpoint(): From {
    return this.#checkpoint;
  }

  /** The live rows that it stands beside; undefined where there are none of this log. */
  live(database: Database, lock?: 'for update'): Promise<Generation | undefined> {
    return this.#isReplacing ? Promise.resolve(undefined) : readLive(database, this.writer.projection.name, lock);
  }

  /** Takes over a checkpoint that was written without it. */
  continueFrom(checkpoint: From): void {
    this.#checkpoint = checkpoint;
  }

  async rereadCheckpoint(): Promise<void> {
    const { pool, generation } = this.writer;
    this.#checkpoint = (await readGeneration(pool, generation.name))?.checkpoint ?? this.#checkpoint;
  }

  /** Brings it up to a position, by large batches. */
  async load(upTo: Checkpoint, onBatch: (events: number, checkpoint: Checkpoint) => void): Promise<void> {
    const { signal } = this;
    await this.#catchUp({ upTo, signal, isLong: true, onBatch });
  }

  /** Brings it close to where the live rows are, and never beyond; to the head of the log where there are none. */
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
   * Runs `work` in a transaction in which the live rows do not move and the generation shows exactly what they show.
   * Throws `NotLevel` after many attempts, and the signal's reason when aborted.
   */
  async whileLevel<A extends object>(
    work: (client: PoolClient, live: Generation | undefined) => Promise<A>,
  ): Promise<A> {
    const { writer, signal } = this;
    const retry = makeRetry({ ...ATTEMPTS, signal });
    do {
      signal.throwIfAborted();
      // most of the way while nobody waits
      await this.approachLive();
      const options = {
        readLive: (client: PoolClient) => this.live(client, 'for update'),
        isLevel: (live: Generation | undefined) => this.#reach(live, AbortSignal.timeout(LEVEL_TIMEOUT)),
      };
      const done = await whileLevel(writer, options, work);
      if (done !== undefined) return done;
    } while (await retry.again());
    signal.throwIfAborted();
    throw new EngineError({
      _tag: 'NotLevel',
      message: `${writer.generation.name} could not be brought level with the live rows: the log grows faster, or lists are read all along`,
    });
  }

  /** Brings it exactly to where the live rows are; false when the time was over first, or it is ahead. */
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

  async #catchUp(options: Parameters<typeof catchUp>[4]): Promise<number> {
    const caughtUp = await catchUp(this.writer, this.#store, this.#apply, this.#checkpoint, options);
    this.#checkpoint = caughtUp.checkpoint;
    return caughtUp.events;
  }
}
