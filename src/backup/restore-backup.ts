import { either as E } from 'fp-ts';
import { copyLog, type Copied, type CopyFailure } from '../event-sourcing/whole-log/copy-log.js';
import { checkpointOf } from '../event-sourcing/recorded-event.js';
import type { Runtime } from '../event-sourcing/runtime.js';
import type { LogTarget } from '../event-sourcing/whole-log/log-target.js';
import { saysErased } from '../event-sourcing/erasure/erased-events.js';
import { ERASURE_STREAM, SEAL_STREAM } from '../event-sourcing/operators/decision-events.js';
import type { ObjectStorage } from '../application/ports.js';
import type { FileContents } from '../read/get-file.js';
import type { SignedCheckpoint } from '../read/sealed-tree.js';
import type { CheckpointArchive } from '../sealing/checkpoint-archive.js';
import type { TimestampArchive } from '../sealing/timestamp-archive.js';
import { backedUpLog, recordedCheckpoints } from './backed-up-log.js';
import { BackupFault } from './backup-fault.js';
import type { BackupPlace } from './backup-place.js';
import { CopiedFiles, type OpenEvents } from './copied-files.js';
import { copyFile, faultOfFile } from './copy-file.js';
import { findAgain } from './event-place.js';
import { eventOf, type Lacking, type Manifest } from './manifest.js';

type RestoreTarget = {
  readonly log: LogTarget;
  readonly files: Pick<ObjectStorage, 'put'> & FileContents;
  readonly archive: Pick<CheckpointArchive, 'put'>;
  readonly timestamps: Pick<TimestampArchive, 'put'>;
  /** Records a checkpoint in Postgres, unless one of its origin and of its size or a larger one is there. */
  readonly record: (checkpoint: SignedCheckpoint) => Promise<void>;
};

type Restoring = {
  readonly runtime: Runtime;
  /** Whether the target may have files of this backup already, which are then compared. */
  readonly goesOn: boolean;
  readonly open: OpenEvents;
  readonly onEvents: (phase: string, events: number) => void;
  readonly onFiles: (events: number) => void;
  /** Each file that events name and the backup does not have. */
  readonly onLacking: (lacking: Lacking) => void;
  readonly signal: AbortSignal;
};

export type Restored = {
  readonly events: number;
  readonly streams: number;
  readonly files: number;
  readonly fileBytes: number;
  readonly checkpoints: number;
  readonly timestamps: number;
  /** Files that the backup does not have. */
  readonly lacking: number;
  /** Those of them that it should have. */
  readonly lost: number;
  /** False when `signal` ended it. */
  readonly isComplete: boolean;
};

const restoreFiles = async (
  place: BackupPlace,
  manifest: Manifest,
  target: RestoreTarget,
  { goesOn, open, onFiles, onLacking, signal }: Restoring,
): Promise<Pick<Restored, 'files' | 'fileBytes' | 'lacking' | 'lost'>> => {
  const known = new Set(manifest.lacking.map(eventOf));
  let [lacking, lost] = [0, 0];
  const files = new CopiedFiles(
    async (file) => {
      if (goesOn && (await faultOfFile(target.files, file)) === undefined) return undefined;
      return copyFile(place.files, target.files, file);
    },
    (one) => {
      lacking += 1;
      if (!known.has(eventOf(one))) lost += 1;
      onLacking(one);
    },
    open,
  );
  let events = 0;
  for await (const batch of backedUpLog(place, manifest).readAll({ after: 'start' })) {
    for (const event of batch.events) await files.take(event);
    onFiles((events += batch.events.length));
    if (signal.aborted) break;
  }
  const copied = await files.ended();
  return { ...copied, lacking, lost };
};

const restoreCheckpoints = async (
  place: BackupPlace,
  manifest: Manifest,
  { archive, record }: RestoreTarget,
  signal: AbortSignal,
): Promise<number> => {
  let count = 0;
  for await (const checkpoint of recordedCheckpoints(place, manifest)) {
    if (signal.aborted) return count;
    await record(checkpoint);
    count += 1;
  }
  for await (const checkpoint of place.archive.all()) {
    if (signal.aborted) return count;
    const put = await archive.put(checkpoint);
    if (E.isLeft(put)) throw new BackupFault(`a checkpoint cannot be stored: ${String(put.left.cause)}`);
    count += 1;
  }
  return count;
};

const restoreTimestamps = async (
  place: BackupPlace,
  { timestamps }: RestoreTarget,
  signal: AbortSignal,
): Promise<number> => {
  let count = 0;
  for await (const stamped of place.timestamps.all()) {
    if (signal.aborted) return count;
    const put = await timestamps.put(stamped);
    if (E.isLeft(put)) throw new BackupFault(`a timestamp cannot be stored: ${String(put.left.cause)}`);
    count += 1;
  }
  return count;
};

const nothing = ({ events, streams }: Copied): Restored => ({
  ...{ events, streams, files: 0, fileBytes: 0, checkpoints: 0, timestamps: 0, lacking: 0, lost: 0, isComplete: false },
});

/** What restores have recorded behind a backup: events about the seal, and about erasures. */
export type Behind = { readonly origins: number; readonly erasures: number };

/** What is behind a backup in the log; undefined where that has not all of the backup, or what no restore records. */
export const findBehind = async (
  log: Pick<LogTarget, 'readStream' | 'readAll'>,
  { segments }: Pick<Manifest, 'segments'>,
): Promise<Behind | undefined> => {
  const last = segments.at(-1)?.last;
  const end = last && (await findAgain(log, last));
  if (end === undefined) return undefined;
  let [origins, erasures] = [0, 0];
  for await (const { events } of log.readAll({ after: checkpointOf(end) }))
    for (const event of events) {
      if (event.stream === SEAL_STREAM) origins += 1;
      else if (event.stream === ERASURE_STREAM || saysErased(event)) erasures += 1;
      else return undefined;
    }
  return { origins, erasures };
};

/**
 * Puts a backup, whose segments were verified before, into a log that is empty or has the beginning of it, with the name
 * that the log had; then the files, each compared with its event, and the checkpoints. Repeating it after an interruption
 * goes on. Nobody else may write there meanwhile.
 *
 * Left: why the log is not one to restore into. Rejects with `BackupFault`, and errors of the target.
 */
export const restoreBackup = async (
  place: BackupPlace,
  manifest: Manifest,
  target: RestoreTarget,
  restoring: Restoring,
): Promise<E.Either<CopyFailure, Restored>> => {
  const { runtime, signal, onEvents } = restoring;
  const copied = await copyLog(backedUpLog(place, manifest), target.log, {
    runtime,
    follow: false,
    signal,
    onPair: () => undefined,
    onProgress: (phase, events) => onEvents(phase, events),
  });
  if (E.isLeft(copied)) return copied;
  if (!copied.right.isComplete) return E.right(nothing(copied.right));
  const files = await restoreFiles(place, manifest, target, restoring);
  const checkpoints = await restoreCheckpoints(place, manifest, target, signal);
  const timestamps = await restoreTimestamps(place, target, signal);
  const { events, streams } = copied.right;
  return E.right({ events, streams, ...files, checkpoints, timestamps, isComplete: !signal.aborted });
};
