import { either as E } from 'fp-ts';
import type { SignedCheckpoint } from '../read/sealed-tree.js';
import type { CheckpointArchive } from '../sealing/checkpoint-archive.js';
import type { TimestampArchive } from '../sealing/timestamp-archive.js';
import { reasonOf } from '../event-sourcing/reason-of.js';
import { readCheckpoint } from '../seal/checkpoint.js';
import { BackupFault } from './backup-fault.js';
import type { BackupPlace } from './backup-place.js';
import type { Manifest } from './manifest.js';
import { segmentName, writeSegment } from './segments.js';

/** Told of a checkpoint that is left out. */
type OnUnfit = (checkpoint: Pick<SignedCheckpoint, 'origin' | 'size'>, reason: string) => void;

/** Whoever can write into the database can put anything among the checkpoints. */
const unfitReason = ({ origin, size, note }: SignedCheckpoint): string | undefined => {
  const read = readCheckpoint(Buffer.from(note));
  if (E.isLeft(read)) return read.left;
  return read.right.origin === origin && read.right.size === size ? undefined : 'it has another origin or size';
};

/** Those larger than what a backup has of their origin, of events that it has. */
async function* newCheckpoints(
  recorded: AsyncIterable<SignedCheckpoint>,
  { sealed, checkpoints: { largest } }: Manifest,
  onUnfit: OnUnfit,
): AsyncGenerator<SignedCheckpoint> {
  for await (const checkpoint of recorded) {
    const known = Object.hasOwn(largest, checkpoint.origin) ? largest[checkpoint.origin] : undefined;
    if (checkpoint.size <= (known ?? -1) || checkpoint.size > sealed) continue;
    const reason = unfitReason(checkpoint);
    if (reason === undefined) yield checkpoint;
    else onUnfit(checkpoint, reason);
  }
}

/**
 * Writes the checkpoints that Postgres has of the events in the backup, and that the backup lacks, into a segment of their
 * own. `recorded` gives them by origin and from the smallest to the largest. Undefined when there is none to add.
 */
export const backUpRecorded = async (
  recorded: AsyncIterable<SignedCheckpoint>,
  place: BackupPlace,
  manifest: Manifest,
  onUnfit: OnUnfit,
): Promise<{ readonly checkpoints: Manifest['checkpoints']; readonly added: number } | undefined> => {
  const { segments } = manifest.checkpoints;
  const largest: Record<string, number> = { ...manifest.checkpoints.largest };
  const lacking = newCheckpoints(recorded, manifest, onUnfit);
  let next = await lacking.next();
  if (next.done === true) return undefined;
  let added = 0;
  const lines = async function* (): AsyncGenerator<Buffer> {
    for (; next.done !== true; next = await lacking.next()) {
      const { origin, size, note } = next.value;
      largest[origin] = size;
      added += 1;
      yield Buffer.from(`${JSON.stringify({ origin, size, note })}\n`);
    }
  };
  const segment = await writeSegment(place, segmentName('checkpoints', segments.length), lines());
  return { checkpoints: { segments: [...segments, { ...segment, checkpoints: added }], largest }, added };
};

/** The errors of a file storage while it is read, as such: they are none of the database. */
async function* readStorage<A>(what: string, all: AsyncIterable<A>): AsyncGenerator<A> {
  try {
    yield* all;
  } catch (error) {
    throw new BackupFault(`the ${what} in the file storage cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

type BackingUpArchive = { readonly onUnfit: OnUnfit; readonly signal: AbortSignal };

type Put = Awaited<ReturnType<CheckpointArchive['put']>>;

/** A bucket with object lock keeps what somebody has put over a checkpoint or its timestamp for ever. */
const requirePut = (put: Put, what: string, onTaken: () => void): void => {
  if (E.isRight(put)) return;
  if (put.left._tag === 'CheckpointTaken') onTaken();
  else throw new BackupFault(`a ${what} cannot be stored: ${reasonOf(put.left.cause)}`);
};

/**
 * Copies the checkpoints in the file storage that are about the first `sealed` events; those that are there stay. Throws
 * `BackupFault` where storage or place does not work.
 */
export const backUpArchive = async (
  archive: Pick<CheckpointArchive, 'all'>,
  place: BackupPlace,
  sealed: number,
  { onUnfit, signal }: BackingUpArchive,
): Promise<void> => {
  for await (const checkpoint of readStorage('checkpoints', archive.all())) {
    if (signal.aborted) return;
    if (checkpoint.size > sealed) continue;
    const onTaken = (): void => onUnfit(checkpoint, 'the backup has another one of this size');
    requirePut(await place.archive.put(checkpoint), 'checkpoint', onTaken);
  }
};

/** The same of the timestamps beside them, after them. */
export const backUpTimestamps = async (
  timestamps: Pick<TimestampArchive, 'all'>,
  place: BackupPlace,
  sealed: number,
  { onUnfit, signal }: BackingUpArchive,
): Promise<void> => {
  for await (const stamped of readStorage('timestamps', timestamps.all())) {
    if (signal.aborted) return;
    const { checkpoint } = stamped;
    if (checkpoint.size > sealed) continue;
    const onTaken = (): void => onUnfit(checkpoint, 'the backup has another timestamp of it');
    requirePut(await place.timestamps.put(stamped), 'timestamp', onTaken);
  }
};
