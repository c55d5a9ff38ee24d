import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { Checkpoint, From, StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import { makeRetry } from '../../../src/event-sourcing/retry.js';
import type { Runtime } from '../../../src/event-sourcing/runtime.js';
import { categoriesOf } from '../../read-model.js';
import { EngineError } from '../engine-failure.js';
import { commitOf, type Generation, type GenerationState, liveOf } from '../generation/generation.js';
import { makeApplyBatch } from '../rows/apply-batch.js';
import { LARGE_CACHE } from '../rows/apply-to-entities.js';
import { catchUp } from '../rows/catch-up.js';
import type { ApplyBatch } from '../rows/prepared-batch.js';
import type { BatchOfChange, Change, ReadModelStorage, Writer } from '../storage.js';
import type { ComparedRows, Differences } from './difference.js';

type RebuildingDeps = {
  readonly runtime: Runtime;
  readonly storage: ReadModelStorage;
  readonly writer: Writer;
  readonly store: EventStore;
  readonly signal: AbortSignal;
  /** Whether the live rows are of another log, so that they are not compared with. */
  readonly isReplacing?: boolean;
};

/** Events that may be left to the last step, during which writers of the live rows wait. */
const SHORT_TAIL = 200;
const PASSES = 20;
/** Events that are read ahead of the live rows at most: so many may come while they are read. */
const READ_AHEAD = 5 * SHORT_TAIL;
const ATTEMPTS = { attempts: 200, first: 50, longest: 500 };

/** What is to be written so that a generation is at the same position as the live ones; undefined where it cannot be now. */
type Level = (
  live: Generation | undefined,
  own: Generation,
) => { readonly to: From; readonly write: BatchOfChange | undefined } | undefined;

/** What a level generation makes of itself and the others. */
type LevelChange = Pick<Change, 'makeLive' | 'handOver' | 'drop'>;

/** A generation that a command writes beside the live one, and its checkpoint. */
export class Rebuilding {
  readonly writer: Writer;
  readonly signal: AbortSignal;
  readonly #runtime: Runtime;
  readonly #storage: ReadModelStorage;
  readonly #store: EventStore;
  readonly #isReplacing: boolean;
  readonly #apply: ApplyBatch;
  #checkpoint: From;

  constructor({ runtime, storage, writer, store, signal, isReplacing = false }: RebuildingDeps) {
    this.writer = writer;
    this.signal = signal;
    this.#runtime = runtime;
    this.#storage = storage;
    this.#store = store;
    this.#isReplacing = isReplacing;
    // parked entities are not reported here: the comparison shows where they differ from the live rows
    this.#apply = makeApplyBatch(storage, writer, { onEvent: () => undefined, size: LARGE_CACHE });
    this.#checkpoint = writer.generation.checkpoint;
  }

  get checkpoint(): From {
    return this.#checkpoint;
  }

  /** The live generation; undefined when there is none of this log. */
  async live(): Promise<Generation | undefined> {
    return this.#liveAmong(await this.#storage.generations(this.writer.projection.name));
  }

  /** Sets the checkpoint after another function has written rows and checkpoint. */
  continueFrom(checkpoint: From): void {
    this.#checkpoint = checkpoint;
  }

  /** Applies the events up to a position, in large batches. */
  async load(upTo: Checkpoint, onBatch: (events: number, checkpoint: Checkpoint) => void): Promise<void> {
    const { signal } = this;
    await this.#catchUp({ upTo, signal, isLong: true, onBatch });
  }

  /** Catches up almost with the live rows, never beyond them; without live rows, with the head of the log. */
  async approachLive(): Promise<void> {
    for (let pass = 0; pass < PASSES; pass += 1) {
      const generations = await this.#storage.generations(this.writer.projection.name);
      // the last attempt to become level may have moved it
      this.#checkpoint = this.#ownAmong(generations)?.checkpoint ?? this.#checkpoint;
      const other = this.#liveAmong(generations);
      if (other?.checkpoint === 'start') return;
      const upTo = other?.checkpoint;
      const events = await this.#catchUp({ ...(upTo && { upTo }), signal: this.signal });
      if (events < SHORT_TAIL) return;
    }
  }

  /**
   * Changes the generations when this one is at the same position as the live ones, in the same transaction. Throws
   * `NotLevel` after many attempts, the signal's reason when aborted, and what `decide` throws.
   */
  async change(
    decide: (live: Generation | undefined, generations: ReadonlyArray<GenerationState>) => LevelChange,
  ): Promise<void> {
    const { projection, lease } = this.writer;
    await this.#whenLevel((level) =>
      this.#storage.change(
        projection,
        (generations) => {
          const live = this.#liveAmong(generations);
          const own = this.#ownAmong(generations);
          const levelled = own && level(live, own);
          return levelled && { ...decide(live, generations), write: levelled.write };
        },
        { lease, isBrief: true },
      ),
    );
  }

  /** Compares the rows with the live ones at the same position. Undefined when there are none of this log. Throws as `change`. */
  async compare(differences: Differences): Promise<ComparedRows | undefined> {
    if (this.#isReplacing) return undefined;
    const compared = await this.#whenLevel((level) => this.#storage.compare(this.writer, level, differences));
    return compared === 'NoLiveRows' ? undefined : compared;
  }

  #ownAmong<Each extends Generation>(generations: ReadonlyArray<Each>): Each | undefined {
    return generations.find(({ name }) => name === this.writer.generation.name);
  }

  #liveAmong<Each extends Generation>(generations: ReadonlyArray<Each>): Each | undefined {
    return this.#isReplacing ? undefined : liveOf(generations);
  }

  /**
   * Gives `attempt` what brings this generation to the position of the live ones: the events that they may have come to by
   * then are read before, since nothing can be read while they are held up.
   */
  async #whenLevel<A>(attempt: (level: Level) => Promise<A | undefined>): Promise<A> {
    const { writer, signal } = this;
    const retry = makeRetry({ runtime: this.#runtime, ...ATTEMPTS, signal });
    do {
      signal.throwIfAborted();
      // most of the events are applied here, while nobody waits
      await this.approachLive();
      let reached = this.#checkpoint;
      const level = await this.#readAhead();
      const done = await attempt((live, own) => {
        const levelled = level(live, own);
        reached = levelled?.to ?? reached;
        return levelled;
      });
      if (done === undefined) continue;
      this.#checkpoint = reached;
      return done;
    } while (await retry.again());
    signal.throwIfAborted();
    throw new EngineError({
      _tag: 'NotLevel',
      message: `${writer.generation.name} could not catch up with the live rows: the log grows faster, clients read lists all the time, or a service has never written the live rows (start it)`,
    });
  }

  async #readAhead(): Promise<Level> {
    const from = this.#checkpoint;
    const events: Array<StoredEvent> = [];
    const range = { after: from, categories: categoriesOf(this.writer.projection) };
    for await (const batch of this.#store.readAll(range)) {
      events.push(...batch.events);
      if (events.length >= READ_AHEAD) break;
    }
    const foldNow = await this.#apply.readAhead(events);
    return (live, own) => {
      if (live === undefined) return { to: from, write: undefined };
      const { checkpoint: to, last: newest } = live;
      if (commitOf(own.checkpoint) !== commitOf(from)) return undefined;
      if (commitOf(from) === commitOf(to)) return { to, write: undefined };
      if (to === 'start' || commitOf(from) > to.commit) return undefined;
      // the newest event in the live rows, and no later one, is the last that these lack
      const end = events.findIndex(({ id }) => id === newest?.id);
      if (end === -1 && newest?.id !== own.last?.id) return undefined;
      const tail = events.slice(0, end + 1);
      return { to, write: foldNow({ from, to, last: tail.at(-1) }, tail) };
    };
  }

  async #catchUp(options: Omit<Parameters<typeof catchUp>[4], 'clock'>): Promise<number> {
    const { clock } = this.#runtime;
    const caughtUp = await catchUp(this.writer, this.#store, this.#apply, this.#checkpoint, { clock, ...options });
    this.#checkpoint = caughtUp.checkpoint;
    return caughtUp.events;
  }
}
