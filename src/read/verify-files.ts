import { either as E } from 'fp-ts';
import type { StoredFile } from '../domain/document/events.js';
import type { EventStore } from '../event-sourcing/event-store.js';
import { reasonOf } from '../event-sourcing/reason-of.js';
import { entityIdOf, type Position, type Revision, type StoredEvent } from '../event-sourcing/recorded-event.js';
import { checkContent } from './file-check.js';
import type { FileContents, OpenFailure } from './get-file.js';
import { namedFile, NAMES_FILES } from './named-file.js';
import { SideBySide } from './side-by-side.js';

/**
 * An event whose file is not as it says (`missing`, `different`), could not be read (`unread`), or is not known because
 * the event cannot be decoded (`undecodable`; it has no `key`).
 */
export type FileFinding = {
  readonly kind: 'missing' | 'different' | 'unread' | 'undecodable';
  readonly documentId: string;
  readonly revision: Revision;
  readonly key: string | undefined;
  readonly reason: string;
};

export type VerifiedFiles = {
  readonly files: number;
  /** Of all of them, as their events say. */
  readonly bytes: number;
  readonly missing: number;
  readonly different: number;
  /** Files that could not be read, and events that could not be decoded. */
  readonly unchecked: number;
  /** `Complete`; or ended by `signal`; or given up because the storage does not answer. */
  readonly end: 'Complete' | 'Aborted' | 'GivenUp';
};

type VerifyFilesPorts = { readonly store: Pick<EventStore, 'readAll'>; readonly open: FileContents['open'] };

type VerifyingFiles = {
  readonly onFinding: (finding: FileFinding) => void;
  /** Each file that an event names, in log order, before it is read. */
  readonly onNamed: (key: string) => void;
  /** After each file: how many have been read, and the position of the newest event whose file is being read. */
  readonly onChecked: (files: number, reached: Position) => void;
  readonly signal: AbortSignal;
  /** Files that are read side by side. */
  readonly atOnce?: number;
};

const AT_ONCE = 16;

/** So many files that could not be read: the storage is away, and the rest would fail, too. */
const MAX_UNREAD = 100;

type Found = Pick<FileFinding, 'kind' | 'reason'>;

const foundOf = (failure: OpenFailure): Found => {
  switch (failure._tag) {
    case 'FileMissing':
      return { kind: 'missing', reason: failure.reason };
    case 'FileTooShort':
      return { kind: 'different', reason: failure.reason };
    case 'FileUnavailable':
      return { kind: 'unread', reason: reasonOf(failure.cause) };
  }
};

const check = async (open: FileContents['open'], file: StoredFile): Promise<Found | undefined> => {
  const opened = await open(file.key);
  if (E.isLeft(opened)) return foundOf(opened.left);
  try {
    const difference = await checkContent(opened.right, file);
    return difference === undefined ? undefined : { kind: 'different', reason: difference.reason };
  } catch (cause) {
    return { kind: 'unread', reason: reasonOf(cause) };
  }
};

class Verification {
  readonly #open: FileContents['open'];
  readonly #verifying: VerifyingFiles;
  readonly #reading: SideBySide;
  readonly #counts = { files: 0, bytes: 0, missing: 0, different: 0, unchecked: 0 };
  #checked = 0;
  #unread = 0;

  constructor(open: FileContents['open'], verifying: VerifyingFiles) {
    this.#open = open;
    this.#verifying = verifying;
    this.#reading = new SideBySide(verifying.atOnce ?? AT_ONCE);
  }

  get isHopeless(): boolean {
    return this.#unread >= MAX_UNREAD;
  }

  /** Begins to read the file that an event names, if it does. */
  async take(stored: StoredEvent): Promise<void> {
    const named = namedFile(stored);
    if (E.isLeft(named)) {
      this.#report(stored, undefined, { kind: 'undecodable', reason: named.left });
      return;
    }
    const file = named.right;
    if (file === undefined) return;
    this.#counts.files += 1;
    this.#counts.bytes += file.size;
    this.#verifying.onNamed(file.key);
    await this.#reading.begin(async () => {
      const found = await check(this.#open, file);
      this.#checked += 1;
      if (found !== undefined) this.#report(stored, file.key, found);
      this.#verifying.onChecked(this.#checked, stored.position);
    });
  }

  async verified(end: VerifiedFiles['end']): Promise<VerifiedFiles> {
    await this.#reading.ended();
    return { ...this.#counts, end };
  }

  #report({ stream, revision }: StoredEvent, key: string | undefined, found: Found): void {
    if (found.kind === 'unread') this.#unread += 1;
    this.#counts[found.kind === 'missing' || found.kind === 'different' ? found.kind : 'unchecked'] += 1;
    this.#verifying.onFinding({ ...found, documentId: entityIdOf(stream), revision, key });
  }
}

/**
 * Reads every file that an event of the log names, those of past versions included, and compares it with its event. In
 * memory that does not grow with the files. Rejects with `StoreUnavailable`.
 */
export const verifyFiles = async (
  { store, open }: VerifyFilesPorts,
  verifying: VerifyingFiles,
): Promise<VerifiedFiles> => {
  const verification = new Verification(open, verifying);
  for await (const { events } of store.readAll({ after: 'start', categories: [NAMES_FILES] }))
    for (const event of events) {
      if (verifying.signal.aborted) return verification.verified('Aborted');
      if (verification.isHopeless) return verification.verified('GivenUp');
      await verification.take(event);
    }
  return verification.verified('Complete');
};
