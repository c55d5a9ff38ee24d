import { either as E } from 'fp-ts';
import { orThrow } from '../event-sourcing/attempt.js';
import type { EventKeys } from '../event-sourcing/event-key.js';
import type { EventStore } from '../event-sourcing/event-store.js';
import { FILES } from '../application/document/file-key.js';
import { erasureIn } from '../event-sourcing/erasure/erased-events.js';
import { entityIdOf, type From, type Position, type StoredEvent } from '../event-sourcing/recorded-event.js';
import { countSuspects, type SuspectMacs } from '../event-sourcing/operators/suspect-macs.js';
import { exportedLines } from '../event-sourcing/whole-log/export-log.js';
import type { FileContents } from '../read/get-file.js';
import type { SignedCheckpoint } from '../read/sealed-tree.js';
import type { CheckpointArchive } from '../sealing/checkpoint-archive.js';
import type { TimestampArchive } from '../sealing/timestamp-archive.js';
import { backUpArchive, backUpRecorded, backUpTimestamps } from './back-up-checkpoints.js';
import { BackupFault } from './backup-fault.js';
import { type BackupPlace, findManifest } from './backup-place.js';
import { CopiedFiles, type OpenEvents } from './copied-files.js';
import { copyFile } from './copy-file.js';
import { endIn, eventAt, lastEventOf } from './event-place.js';
import { emptyManifest, type Lacking, type LastEvent, type Manifest, renderManifest } from './manifest.js';
import { requireStorageOfThisLog } from './require-storage-of-this-log.js';
import { type Secret, withoutChanged, writeSecrets } from './secrets.js';
import { segmentName, writeSegment } from './segments.js';
import { verifiedPages } from './verified-pages.js';
import type { Clock } from '../event-sourcing/clock.js';

export type BackupSources = {
  /** The log as it is stored: what is encrypted there is so in the backup. */
  readonly store: Pick<EventStore, 'readAll' | 'readStream' | 'head' | 'identity'>;
  readonly open: OpenEvents;
  readonly files: FileContents;
  /** The checkpoints in the file storage. */
  readonly archive: Pick<CheckpointArchive, 'all'>;
  /** The timestamps beside them. */
  readonly timestamps: Pick<TimestampArchive, 'all'>;
  /** Those in Postgres, by origin and from the smallest to the largest. */
  readonly recorded: () => AsyncIterable<SignedCheckpoint>;
  /** Of the streams whose events are in the tree that is signed. */
  readonly isSealed: (event: StoredEvent) => boolean;
  /** By which it is counted how many events nobody can say the service has sealed; none: nothing is counted. */
  readonly keys: EventKeys;
  /** What checkpoints are signed as now; null where this process does not know, and what an earlier run knew stays. */
  readonly seal: Manifest['seal'];
  /** Those that are to be in the backup. */
  readonly secrets: () => Promise<ReadonlyArray<Secret>>;
  readonly program: string;
  readonly clock: Clock;
};

type BackingUp = {
  /** A checkpoint that is not backed up, because it is none, or because another one has its place. */
  readonly onUnfit: (checkpoint: Pick<SignedCheckpoint, 'origin' | 'size'>, reason: string) => void;
  /** Each file that is not as its event says; it is tried again by the next run. */
  readonly onLacking: (lacking: Lacking) => void;
  /** Events of this run so far, and the position of the last one. */
  readonly onEvents: (events: number, reached: Position) => void;
  /** Whether it goes on where the first files are all missing or different, and they are many. */
  readonly allowsMissing: boolean;
  readonly signal: AbortSignal;
  readonly limits?: Limits;
};

/** A segment ends with the page that makes it larger than this: a run that is killed loses no more. */
type Limits = { readonly characters: number; readonly files: number; readonly fileBytes: number };

const LIMITS: Limits = { characters: 64 * 1024 * 1024, files: 4_000, fileBytes: 4 * 1024 ** 3 };

/** What a run added, and the backup as it is now. */
export type BackedUp = {
  readonly manifest: Manifest;
  readonly events: number;
  readonly files: number;
  readonly fileBytes: number;
  readonly checkpoints: number;
  /** Of the new events, which are in the backup all the same. */
  readonly suspects: SuspectMacs;
};

class Backup {
  readonly #sources: BackupSources;
  readonly #place: BackupPlace;
  readonly #options: BackingUp;
  readonly #limits: Limits;
  readonly #suspects: ReturnType<typeof countSuspects>;
  #manifest: Manifest;
  /** Files that this run did not find as its new events say. */
  #lacking = 0;
  #added = { events: 0, files: 0, fileBytes: 0, checkpoints: 0 };

  constructor(sources: BackupSources, place: BackupPlace, manifest: Manifest, options: BackingUp) {
    this.#sources = sources;
    this.#place = place;
    this.#manifest = manifest;
    this.#options = options;
    this.#limits = options.limits ?? LIMITS;
    this.#suspects = countSuspects({ ...sources, before: manifest.sealed });
  }

  async run(): Promise<BackedUp> {
    const head = orThrow(await this.#sources.store.head());
    const after = await endIn(this.#sources.store, this.#manifest);
    await this.#backUpSecrets();
    await this.#tryLackingAgain();
    if (head !== undefined) await this.#backUpLog(after, head);
    if (!this.#options.signal.aborted) await this.#backUpCheckpoints();
    if (!this.#options.signal.aborted)
      await this.#save({ isComplete: true, seal: this.#sources.seal ?? this.#manifest.seal });
    return { manifest: this.#manifest, ...this.#added, suspects: this.#suspects.counts() };
  }

  /**
   * First, because restored without them the events would be suspect, and no token valid: also those of a backup of less. One
   * that was changed since is not in the manifest until its file is the new one.
   */
  async #backUpSecrets(): Promise<void> {
    const secrets = await this.#sources.secrets();
    await this.#save({ isComplete: false, secrets: withoutChanged(this.#manifest.secrets, secrets) });
    await this.#save({ secrets: await writeSecrets(this.#place, this.#manifest.secrets, secrets) });
  }

  async #save(change: Partial<Manifest>): Promise<void> {
    const { program, clock } = this.#sources;
    this.#manifest = { ...this.#manifest, program, at: clock.date().toISOString(), ...change };
    await this.#place.writeManifest(renderManifest(this.#manifest));
  }

  async #backUpLog(after: From, head: Position): Promise<void> {
    const pages = verifiedPages(this.#sources.store, after, head);
    try {
      for (let page = await pages.next(); page.done !== true; page = await pages.next()) {
        await this.#backUpSegment(page.value, pages);
        if (this.#options.signal.aborted) break;
      }
    } finally {
      await pages.return(undefined);
    }
  }

  /** Writes pages until the segment is large enough. Its files are there before the manifest names it. */
  async #backUpSegment(
    first: ReadonlyArray<StoredEvent>,
    pages: AsyncGenerator<ReadonlyArray<StoredEvent>, undefined>,
  ): Promise<void> {
    const lacking: Array<Lacking> = [];
    const copying = this.#copiedFiles(lacking);
    const { isSealed } = this.#sources;
    const suspects = this.#suspects;
    const { characters, files, fileBytes } = this.#limits;
    const { signal, onEvents } = this.#options;
    const totals = { events: 0, sealed: 0, characters: 0 };
    let last: LastEvent | undefined;
    const erased: Array<StoredEvent> = [];
    const before = this.#added.events;
    const lines = async function* (): AsyncGenerator<Buffer> {
      for (let page: ReadonlyArray<StoredEvent> | undefined = first; page !== undefined;) {
        const text = exportedLines(page);
        yield Buffer.from(text);
        page.forEach(suspects.take);
        for (const event of page) {
          await copying.take(event);
          if (erasureIn(event)?.events === 'all') erased.push(event);
        }
        totals.events += page.length;
        totals.characters += text.length;
        totals.sealed += page.filter(isSealed).length;
        const end = page.at(-1);
        if (end !== undefined) last = lastEventOf(end);
        onEvents(before + totals.events, end?.position ?? 0n);
        const isLarge = totals.characters >= characters || copying.isLarge(files, fileBytes);
        if (isLarge || signal.aborted) return;
        page = (await pages.next()).value;
      }
    };
    const name = segmentName('log', this.#manifest.segments.length);
    const segment = await writeSegment(this.#place, name, lines()).finally(() => copying.settled());
    const copied = await copying.ended();
    if (last === undefined) return;
    const removed = await this.#removeErased(erased);
    const { events } = totals;
    this.#added = {
      ...this.#added,
      events: before + events,
      files: this.#added.files + copied.files,
      fileBytes: this.#added.fileBytes + copied.fileBytes,
    };
    this.#lacking += lacking.length;
    const manifest = this.#manifest;
    const allLacking = manifest.lacking.length + lacking.length;
    const { allowsMissing } = this.#options;
    requireStorageOfThisLog({ copied: this.#added.files, lacking: this.#lacking, allLacking, allowsMissing });
    await this.#save({
      events: manifest.events + events,
      sealed: manifest.sealed + totals.sealed,
      files: manifest.files + copied.files - removed.files,
      fileBytes: manifest.fileBytes + copied.fileBytes - removed.fileBytes,
      segments: [...manifest.segments, { ...segment, events, last }],
      lacking: [...manifest.lacking, ...lacking],
    });
  }

  /** The files of documents that are erased since: whoever has the backup must not have them either. */
  async #removeErased(erased: ReadonlyArray<StoredEvent>): Promise<{ files: number; fileBytes: number }> {
    const sum = { files: 0, fileBytes: 0 };
    for (const { stream } of erased) {
      const removed = await this.#place.removeFiles(`${FILES}${entityIdOf(stream)}`);
      sum.files += removed.files;
      sum.fileBytes += removed.fileBytes;
    }
    return sum;
  }

  /** Adds what is not as its event says to `lacking`. */
  #copiedFiles(lacking: Array<Lacking>): CopiedFiles {
    return new CopiedFiles(
      (file) => copyFile(this.#sources.files, this.#place.files, file),
      (one) => {
        lacking.push(one);
        this.#options.onLacking(one);
      },
      this.#sources.open,
    );
  }

  /** What an earlier run did not find may have been put back since. One that is interrupted keeps what it has not tried. */
  async #tryLackingAgain(): Promise<void> {
    const { lacking: before } = this.#manifest;
    if (before.length === 0) return;
    const lacking: Array<Lacking> = [];
    const copying = this.#copiedFiles(lacking);
    try {
      for (const one of before) {
        const event = this.#options.signal.aborted ? undefined : await eventAt(this.#sources.store, one);
        if (event === undefined) lacking.push(one);
        else await copying.take(event);
      }
    } finally {
      await copying.settled();
    }
    const { files, fileBytes } = await copying.ended();
    this.#added = { ...this.#added, files, fileBytes };
    await this.#save({ files: this.#manifest.files + files, fileBytes: this.#manifest.fileBytes + fileBytes, lacking });
  }

  async #backUpCheckpoints(): Promise<void> {
    const { recorded, archive, timestamps } = this.#sources;
    const { onUnfit, signal } = this.#options;
    const grown = await backUpRecorded(recorded(), this.#place, this.#manifest, onUnfit);
    if (grown !== undefined) {
      this.#added = { ...this.#added, checkpoints: grown.added };
      await this.#save({ checkpoints: grown.checkpoints });
    }
    await backUpArchive(archive, this.#place, this.#manifest.sealed, { onUnfit, signal });
    await backUpTimestamps(timestamps, this.#place, this.#manifest.sealed, { onUnfit, signal });
  }
}

/** The manifest to go on from. Throws `BackupFault` where the place has a backup of another log. */
const manifestOf = async (sources: BackupSources, place: BackupPlace): Promise<Manifest> => {
  const { program, clock, seal, store } = sources;
  const log = orThrow(await store.identity());
  const manifest = await findManifest(place);
  if (manifest === undefined) return emptyManifest({ program, at: clock.date().toISOString(), log, seal });
  if (manifest.log !== log) throw new BackupFault(`it is a backup of another log (${manifest.log}, not ${log})`);
  return manifest;
};

/**
 * Adds to a backup what the log, the files and the checkpoints have more, up to the end of the log as it is now. The
 * manifest is written with every segment, when its events and all of their files are there: a run that was killed leaves a
 * backup of less, and the next one goes on. In memory that does not grow with the log. Only one may write into a place.
 *
 * Left: why it cannot be backed up. Rejects with errors of the log, of the database and of the place.
 */
export const writeBackup = async (
  sources: BackupSources,
  place: BackupPlace,
  options: BackingUp,
): Promise<E.Either<BackupFault, BackedUp>> => {
  try {
    return E.right(await new Backup(sources, place, await manifestOf(sources, place), options).run());
  } catch (error) {
    if (error instanceof BackupFault) return E.left(error);
    throw error;
  }
};
