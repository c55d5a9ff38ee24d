import { either as E } from 'fp-ts';
import type { LedgerSource } from '../../../projections/engine/verify/ledger/ledger-source.js';
import { orThrow } from '../../event-sourcing/attempt.js';
import { isTransient } from '../../../projections/engine/engine-failure.js';
import type { EventStore, LogBatch, LogRange } from '../../event-sourcing/event-store.js';
import type { From } from '../../event-sourcing/recorded-event.js';
import { makeRetry } from '../../event-sourcing/retry.js';
import type { StreamPage } from '../../event-sourcing/stream-page.js';
import type { CheckpointArchive } from '../../sealing/checkpoint-archive.js';
import type { SealedTree, SignedCheckpoint } from '../../read/sealed-tree.js';
import type { Clock } from '../../event-sourcing/clock.js';
import type { Runtime } from '../../event-sourcing/runtime.js';

/** The work is to end where it is, because the process stops or another one does it. */
export class PassOver extends Error {}

/** Waits until the process may go on; false when the work is to end. */
export type MayGoOn = () => Promise<boolean>;

/** For so long nobody has to want the work before it ends, ms: a projector whose connection was lost is soon back. */
const GRACE = 60_000;
const LOOK_AGAIN = 1_000;

export const makeMayGoOn =
  (clock: Clock, isWanted: () => boolean, signal: AbortSignal): MayGoOn =>
  async () => {
    const until = clock.monotonic() + GRACE;
    while (!isWanted() && clock.monotonic() < until) if (!(await clock.sleep(LOOK_AGAIN, signal))) return false;
    return !signal.aborted && isWanted();
  };

/** Tries work again until log and database answer it. Rejects with `PassOver` when nobody wants it any more. */
export type Persist = <A>(work: () => Promise<A>) => Promise<A>;

const PAUSE = { first: 500, longest: 15_000 };

export const makePersist =
  (runtime: Runtime, mayGoOn: MayGoOn, signal: AbortSignal): Persist =>
  async (work) => {
    const retry = makeRetry({ runtime, ...PAUSE, signal });
    for (;;) {
      if (!(await mayGoOn())) throw new PassOver();
      try {
        return await work();
      } catch (error) {
        if (!isTransient(error)) throw error;
        if (!(await retry.again())) throw new PassOver();
      }
    }
  };

/** Page by page: nothing is held open between two of them, however slowly they are taken. */
const patientRead = <Range extends Pick<LogRange, 'after'>, Batch extends Pick<LogBatch, 'checkpoint'>>(
  read: (range: Range) => AsyncIterable<Batch>,
  persist: Persist,
) =>
  async function* readPatiently(range: Range): AsyncGenerator<Batch> {
    let after: From = range.after;
    for (;;) {
      const batch = await persist(async () => {
        for await (const first of read({ ...range, after })) return first;
        return undefined;
      });
      if (batch === undefined) return;
      after = batch.checkpoint;
      yield batch;
    }
  };

type Read = Pick<EventStore, 'readAll' | 'readStream' | 'readTruncations' | 'readStrays'>;

/** The log, without anything that is held open while nobody takes of it. */
export const patientStore = ({ readAll, readStream, readTruncations, readStrays }: Read, persist: Persist): Read => ({
  readAll: patientRead(readAll, persist),
  ...(readTruncations === undefined ? {} : { readTruncations: patientRead(readTruncations, persist) }),
  ...(readStrays === undefined
    ? {}
    : { readStrays: async () => persist(async () => E.right(orThrow(await readStrays()))) }),
  async *readStream(stream, range) {
    yield* await persist(async () => {
      const pages: Array<StreamPage> = [];
      for await (const page of readStream(stream, range)) pages.push(page);
      return pages;
    });
  },
});

export const patientSource = (source: LedgerSource, persist: Persist): LedgerSource => ({
  extent: () => persist(source.extent),
  rows: (...args) => persist(() => source.rows(...args)),
  placesOf: (...args) => persist(() => source.placesOf(...args)),
  readTiles: (tiles) => persist(() => source.readTiles(tiles)),
});

const isSame = (one: SignedCheckpoint, other: SignedCheckpoint | undefined): boolean =>
  one.note === other?.note && one.size === other.size && one.origin === other.origin;

/** Reads from the beginning up to the one that was given last. */
const iteratorBehind = async (
  checkpoints: SealedTree['checkpoints'],
  last: SignedCheckpoint | undefined,
): Promise<AsyncIterator<SignedCheckpoint>> => {
  const reading = checkpoints()[Symbol.asyncIterator]();
  for (let seen = last === undefined; !seen;) {
    const read = await reading.next();
    // to end here would make all behind it look as if they were not in Postgres
    if (read.done === true) throw new Error('a checkpoint is not in Postgres any more, where it just was');
    seen = isSame(read.value, last);
  }
  return reading;
};

type Recorded = Pick<SealedTree, 'checkpoints' | 'cosigned' | 'newestOf' | 'cosignedOf'>;

type FindLargest = Recorded['newestOf'];

const patientFind =
  (find: FindLargest, persist: Persist): FindLargest =>
  (origin) =>
    persist(async () => {
      const found = await find(origin);
      if (E.isLeft(found))
        throw found.left.cause instanceof Error ? found.left.cause : new Error('not read', found.left);
      return found;
    });

const patientCheckpoints = (checkpoints: SealedTree['checkpoints'], persist: Persist): SealedTree['checkpoints'] =>
  async function* readPatiently() {
    let last: SignedCheckpoint | undefined;
    /** Undefined where the next read has to begin anew: what has thrown gives nothing more. */
    let reading: AsyncIterator<SignedCheckpoint> | undefined;
    for (;;) {
      const read = await persist(async () => {
        const current = reading ?? (await iteratorBehind(checkpoints, last));
        reading = undefined;
        const next = await current.next();
        reading = current;
        return next;
      });
      if (read.done === true) return;
      last = read.value;
      yield last;
    }
  };

export const patientTree = (tree: Recorded, persist: Persist): Recorded => ({
  newestOf: patientFind(tree.newestOf, persist),
  cosignedOf: patientFind(tree.cosignedOf, persist),
  checkpoints: patientCheckpoints(tree.checkpoints, persist),
  cosigned: patientCheckpoints(tree.cosigned, persist),
});

type Archived = Pick<CheckpointArchive, 'all'>;

/**
 * The checkpoints in the storage of files, until nobody wants them any more: then it rejects with `PassOver`, at once when
 * `signal` aborts. What the storage throws is not tried again.
 */
export const endableArchive = (archive: Archived, mayGoOn: MayGoOn, signal: AbortSignal): Archived => ({
  async *all() {
    const ended = new AbortController();
    const aborted = new Promise<undefined>((resolve) =>
      signal.addEventListener('abort', () => resolve(undefined), { once: true, signal: ended.signal }),
    );
    try {
      const reading = archive.all()[Symbol.asyncIterator]();
      for (;;) {
        if (!(await mayGoOn())) throw new PassOver();
        // a storage that does not answer is waited for elsewhere
        const read = await Promise.race([reading.next(), aborted]);
        if (read === undefined) throw new PassOver();
        if (read.done === true) return;
        yield read.value;
      }
    } finally {
      ended.abort();
    }
  },
});
