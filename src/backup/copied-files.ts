import { either as E } from 'fp-ts';
import type { StoredFile } from '../domain/document/events.js';
import { categoryOf, type StoredEvent } from '../event-sourcing/recorded-event.js';
import { namedFile, NAMES_FILES } from '../read/named-file.js';
import { SideBySide } from '../read/side-by-side.js';
import type { Lacking } from './manifest.js';
import type { NotCopied } from './copy-file.js';

const FILES_AT_ONCE = 16;

/** The events that stored ones stand for, where their data is encrypted. */
export type OpenEvents = (events: ReadonlyArray<StoredEvent>) => ReadonlyArray<StoredEvent>;

/** What is done with a file, which is not as its event says where there is an answer. */
type CopyOne = (file: StoredFile) => Promise<NotCopied | undefined>;

/** Copies, or checks, the files of events while the events pass by; some side by side. */
export class CopiedFiles {
  readonly #copyOne: CopyOne;
  readonly #onLacking: (lacking: Lacking) => void;
  readonly #open: OpenEvents;
  readonly #side = new SideBySide(FILES_AT_ONCE);
  #taken = { files: 0, fileBytes: 0 };
  #copied = { files: 0, fileBytes: 0 };
  #failure: { readonly error: unknown } | undefined;

  /** `onLacking` is told of each file that is not as its event says; `open` as in `OpenEvents`. */
  constructor(copyOne: CopyOne, onLacking: (lacking: Lacking) => void, open: OpenEvents) {
    this.#copyOne = copyOne;
    this.#onLacking = onLacking;
    this.#open = open;
  }

  isLarge(files: number, fileBytes: number): boolean {
    return this.#taken.files >= files || this.#taken.fileBytes >= fileBytes;
  }

  /** Begins to copy the file that the event names, if it does. Throws what an earlier one failed with. */
  async take(event: StoredEvent): Promise<void> {
    this.#throwFailure();
    if (categoryOf(event.stream) !== NAMES_FILES) return;
    const [opened = event] = this.#open([event]);
    const named = namedFile(opened);
    if (E.isLeft(named)) {
      this.#lacks(event, null, { kind: 'undecodable', reason: named.left });
      return;
    }
    const file = named.right;
    if (file === undefined) return;
    this.#taken = { files: this.#taken.files + 1, fileBytes: this.#taken.fileBytes + file.size };
    await this.#side.begin(() => this.#copy(event, file));
  }

  /** Waits for the files that were begun, and counts those that are as their events say. Throws what one failed with. */
  async ended(): Promise<{ readonly files: number; readonly fileBytes: number }> {
    await this.settled();
    this.#throwFailure();
    return this.#copied;
  }

  /** Waits until nothing is copied any more, and never rejects: for who has failed otherwise. */
  settled(): Promise<void> {
    return this.#side.ended();
  }

  /** A failure is thrown once. */
  #throwFailure(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }

  async #copy(event: StoredEvent, file: StoredFile): Promise<void> {
    try {
      const not = await this.#copyOne(file);
      if (not !== undefined) this.#lacks(event, file.key, not);
      else this.#copied = { files: this.#copied.files + 1, fileBytes: this.#copied.fileBytes + file.size };
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  #lacks({ stream, revision }: StoredEvent, key: string | null, why: Pick<Lacking, 'kind' | 'reason'>): void {
    this.#onLacking({ ...why, stream, revision: revision.toString(), key });
  }
}
