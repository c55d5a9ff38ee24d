import { either as E } from 'fp-ts';
import type { StoredEvent } from '../event-sourcing/recorded-event.js';
import type { LogCheck } from '../event-sourcing/whole-log/log-check.js';
import type { OnLogFault } from '../event-sourcing/whole-log/log-fault.js';
import type { SealedTree, SignedCheckpoint } from '../read/sealed-tree.js';
import type { Hash } from '../seal/hash.js';
import { appendLeaves, edgeRoot, emptyEdge } from '../seal/tree-edge.js';
import { verifyInclusion } from '../seal/verify-proofs.js';
import type { CheckpointArchive } from './checkpoint-archive.js';
import { describeKept, type FindKeys, type KeptCheckpoint, openKept } from './kept-checkpoint.js';
import { leafHashOf } from './leaf-of.js';
import { type SortedCheckpoints, sortCheckpoints } from './sorted-checkpoints.js';

/** What somebody kept outside of this service: a checkpoint, or the proof of one event. */
export type Witness = KeptCheckpoint & {
  readonly proof?: { readonly index: number; readonly hashes: ReadonlyArray<Hash> };
};

export type CheckpointCounts = {
  /** Compared and as the log is, by where they are kept. */
  readonly fitting: number;
  /** A fault was found of each of these. */
  readonly differing: number;
  /**
   * In the file storage and not in Postgres, whose first checkpoint is a later one: Postgres was restored since, or they
   * were removed there. They are compared as all others are.
   */
  readonly beforePostgres: number;
  /** Of other origins, by origin. The seal was restarted after them. */
  readonly earlier: Readonly<Record<string, EarlierCheckpoints>>;
};

/** How many there are in each place, and the size of the largest. They are not compared. */
type EarlierCheckpoints = { readonly inPostgres: number; readonly inStorage: number; readonly largest: number };

type CheckpointCheck = LogCheck & { readonly counts: () => CheckpointCounts };

type CheckpointCheckOptions = {
  /** Which events are in the tree. */
  readonly isSealed: (event: StoredEvent) => boolean;
  /** Under which checkpoints are signed now; undefined where only `witnesses` are compared. */
  readonly origin: string | undefined;
  readonly findKeys: FindKeys;
  /** The checkpoints in Postgres. */
  readonly tree: Pick<SealedTree, 'checkpoints' | 'cosigned' | 'newestOf' | 'cosignedOf'> | undefined;
  /** Those in the file storage. */
  readonly archive: Pick<CheckpointArchive, 'all'> | undefined;
  readonly witnesses: ReadonlyArray<Witness>;
  readonly onFault: OnLogFault;
};

const IN_POSTGRES = 'in Postgres';
const COSIGNED = 'in Postgres, cosigned';
const IN_STORAGE = 'in the file storage';

const NONE: EarlierCheckpoints = { inPostgres: 0, inStorage: 0, largest: 0 };

const NOTHING: SortedCheckpoints = { peek: () => undefined, next: () => undefined };

const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

/** Checkpoints by size, of which the first is not taken yet; those that are larger than a limit are left out. */
class Recorded {
  first: KeptCheckpoint | undefined = undefined;
  readonly #reading: AsyncIterator<KeptCheckpoint>;
  readonly #limit: number;

  constructor(checkpoints: AsyncIterable<KeptCheckpoint>, limit: number) {
    this.#reading = checkpoints[Symbol.asyncIterator]();
    this.#limit = limit;
  }

  async take(): Promise<void> {
    do {
      const read = await this.#reading.next();
      this.first = read.done === true ? undefined : read.value;
    } while (this.first !== undefined && this.first.size > this.#limit);
  }
}

/**
 * Recomputes the tree over all events and compares its root with that of every checkpoint that is kept. Where one does not
 * fit, some event before its size is not the one that was signed; that it is not before the size of the last one that fits
 * is all that checkpoints can say. Checkpoints that were signed since the check began are left for the next time. Rejects
 * with what database and storage throw.
 */
export const makeCheckpointCheck = async ({
  isSealed,
  origin,
  findKeys,
  tree,
  archive,
  witnesses,
  onFault,
}: CheckpointCheckOptions): Promise<CheckpointCheck> => {
  const counts = {
    fitting: 0,
    differing: 0,
    beforePostgres: 0,
    earlier: {} as Record<string, EarlierCheckpoints>,
  };

  const count = (isFitting: boolean): void => {
    counts[isFitting ? 'fitting' : 'differing'] += 1;
  };

  /** Those of the origin that is in force; of the others it is noted that they are there. */
  async function* ofOrigin(all: AsyncIterable<SignedCheckpoint>, where: string): AsyncGenerator<KeptCheckpoint> {
    for await (const signed of all) {
      const opened = openKept(signed, where, findKeys);
      if (E.isLeft(opened)) {
        count(false);
        onFault(opened.left);
      } else if (opened.right.origin === origin) yield opened.right;
      else {
        const { inPostgres, inStorage, largest } = counts.earlier[opened.right.origin] ?? NONE;
        counts.earlier[opened.right.origin] = {
          inPostgres: inPostgres + (where === IN_POSTGRES ? 1 : 0),
          inStorage: inStorage + (where === IN_STORAGE ? 1 : 0),
          largest: Math.max(largest, opened.right.size),
        };
      }
    }
  }

  // first the storage, then Postgres: a checkpoint is in Postgres before it is in the storage
  const archived = archive === undefined ? NOTHING : await sortCheckpoints(ofOrigin(archive.all(), IN_STORAGE));
  const inPostgres =
    tree === undefined || origin === undefined
      ? []
      : [
          { where: IN_POSTGRES, all: () => tree.checkpoints(), largest: await tree.newestOf(origin) },
          { where: COSIGNED, all: () => tree.cosigned(), largest: await tree.cosignedOf(origin) },
        ].map(({ where, all, largest }) => {
          if (E.isLeft(largest)) throw asError(largest.left.cause);
          return new Recorded(ofOrigin(all(), where), largest.right?.size ?? -1);
        });
  for (const recorded of inPostgres) await recorded.take();
  const smallestRecorded = inPostgres[0]?.first?.size ?? Infinity;
  const kept = witnesses.toSorted((one, other) => one.size - other.size);

  let edge = emptyEdge;
  /** The largest size at which the log is as it was signed. */
  let fittingUpTo = 0;
  const places = new Map<number, { readonly event: StoredEvent; readonly leaf: Hash } | undefined>(
    witnesses.flatMap(({ proof }) => (proof === undefined ? [] : [[proof.index, undefined]])),
  );

  /** Whether a checkpoint fits the log. */
  const judge = (checkpoint: KeptCheckpoint): boolean => {
    const { size, root } = checkpoint;
    if (edgeRoot(edge).equals(root)) {
      fittingUpTo = size;
      return true;
    }
    const since = fittingUpTo > 0 && fittingUpTo < size ? `, and the one of ${fittingUpTo} events does` : '';
    const first = fittingUpTo < size ? fittingUpTo : 0;
    onFault({
      kind: 'checkpoint-differs',
      index: first,
      reason:
        `${describeKept(checkpoint)} does not fit the log${since}: ` +
        `the first event that was changed, removed, inserted or moved is between index ${first} and ${size - 1}`,
    });
    return false;
  };

  const judgeWitness = (witness: Witness): void => {
    count(judge(witness));
    if (witness.proof === undefined) return;
    const { index, hashes } = witness.proof;
    const place = places.get(index);
    if (place !== undefined && verifyInclusion(place.leaf, index, witness, hashes)) return;
    onFault({
      kind: 'proof-differs',
      index,
      ...(place === undefined
        ? {}
        : { stream: place.event.stream, revision: place.event.revision, id: place.event.id }),
      reason: `the event is not the one that the proof kept ${witness.where} is about`,
    });
  };

  const judgeArchived = ({ size, root }: { readonly size: number; readonly root: Hash }, isRecorded: boolean): void => {
    const checkpoint = { origin: origin ?? '', size, root, where: IN_STORAGE };
    const isFitting = judge(checkpoint);
    const isAbsent = tree !== undefined && !isRecorded;
    // a log that was restored from a backup has none of the checkpoints that were signed before
    const isBefore = isAbsent && size < smallestRecorded;
    count(isFitting && (!isAbsent || isBefore));
    if (isBefore) counts.beforePostgres += 1;
    else if (isAbsent)
      onFault({
        kind: 'checkpoint-missing',
        index: size,
        reason: `${describeKept(checkpoint)} is not in Postgres, which has earlier ones: it was removed there, or Postgres was taken back to a backup`,
      });
  };

  /** The size of the next checkpoint, from wherever. */
  const nextSize = (): number =>
    Math.min(
      ...inPostgres.map(({ first }) => first?.size ?? Infinity),
      archived.peek()?.size ?? Infinity,
      kept[0]?.size ?? Infinity,
    );

  const judgeAll = async (size: number): Promise<void> => {
    let isRecorded = false;
    for (const recorded of inPostgres)
      while (recorded.first?.size === size) {
        isRecorded ||= recorded.first.where === IN_POSTGRES;
        count(judge(recorded.first));
        await recorded.take();
      }
    for (let one = archived.peek(); one?.size === size; one = archived.peek()) {
      judgeArchived(one, isRecorded);
      archived.next();
    }
    for (; kept[0]?.size === size; kept.shift()) judgeWitness(kept[0]);
  };

  const reportBeyond = (checkpoint: Pick<KeptCheckpoint, 'size' | 'origin' | 'where'>): void => {
    const { size } = edge;
    count(false);
    onFault({
      kind: 'checkpoint-beyond-log',
      index: size,
      reason:
        `${describeKept(checkpoint)} is larger than the log, which has ${size}: ` +
        `${checkpoint.size - size} or more were removed`,
    });
  };

  const take: LogCheck['take'] = async (events) => {
    const ours = events.filter(isSealed);
    const leaves = ours.map(leafHashOf);
    for (const index of places.keys()) {
      const [event, leaf] = [ours[index - edge.size], leaves[index - edge.size]];
      if (event !== undefined && leaf !== undefined) places.set(index, { event, leaf });
    }
    let at = 0;
    for (;;) {
      const due = nextSize();
      const end = Math.min(leaves.length, at + due - edge.size);
      ({ edge } = appendLeaves(edge, leaves.slice(at, end)));
      at = end;
      if (edge.size < due) return;
      await judgeAll(due);
    }
  };

  return {
    take,
    end: async () => {
      await take([]);
      for (const recorded of inPostgres)
        while (recorded.first !== undefined) {
          reportBeyond(recorded.first);
          await recorded.take();
        }
      for (let one = archived.peek(); one !== undefined; one = archived.peek()) {
        reportBeyond({ ...one, origin: origin ?? '', where: IN_STORAGE });
        archived.next();
      }
      for (const witness of kept) reportBeyond(witness);
    },
    counts: () => counts,
  };
};
