import { either as E } from 'fp-ts';
import type { EventStore } from '../../event-sourcing/event-store.js';
import type { Clock } from '../../event-sourcing/clock.js';
import type { ObjectStorage, StorageUnavailable, StoredObject } from '../ports.js';
import { type ClaimFailure, claimStorage } from './claim-storage.js';
import { documentIdOf, FILES } from './file-key.js';
import { LONGEST_UPLOAD } from './longest-upload.js';
import { type NotLookedFor, unnamedFiles } from './unnamed-files.js';

/** What failed while the sweep went on. A file that could not be checked is not removed. */
export type SweepFault =
  | { readonly _tag: 'NotChecked'; readonly documentId: string; readonly failure: NotLookedFor }
  | { readonly _tag: 'NotRemoved'; readonly key: string; readonly failure: StorageUnavailable }
  | { readonly _tag: 'UnfinishedNotCleared'; readonly failure: StorageUnavailable };

export type SweepDeps = {
  readonly clock: Clock;
  readonly store: Pick<EventStore, 'identity' | 'readStream'>;
  readonly storage: Pick<ObjectStorage, 'put' | 'remove' | 'list' | 'clearUnfinished'>;
  readonly onFault: (fault: SweepFault) => void;
};

export type SweepOptions = {
  /**
   * Files younger than this, ms, are left alone; at least twice the longest upload. Storage dates an object by the
   * beginning of its upload, and its event comes after the end.
   */
  readonly olderThan: number;
  readonly documentsPerSecond: number;
};

/** A file that no event names is left alone for this long, ms: its upload may be in progress. */
export const LEFT_ALONE = 24 * 3_600_000;

const DEFAULT_SWEEP: SweepOptions = { olderThan: LEFT_ALONE, documentsPerSecond: 100 };

/** `examined`, `removed`: files; `unfinished`: uploads whose remains were cleared. */
export type Swept = {
  readonly examined: number;
  readonly removed: number;
  readonly unfinished: number;
  readonly faults: number;
  /** False when it was stopped, gave up over too many faults, or was the first and only marked the storage. */
  readonly isComplete: boolean;
};

/** Files that are grouped by document at a time: those of one document then cost one read of its stream. */
const BATCH = 1000;

class ListingFailed extends Error {
  constructor(cause: unknown) {
    super('the storage could not be listed', { cause });
    this.name = 'ListingFailed';
  }
}

async function* listed({ list }: Pick<ObjectStorage, 'list'>): AsyncGenerator<StoredObject> {
  try {
    yield* list(FILES);
  } catch (cause) {
    throw new ListingFailed(cause);
  }
}

/** Faults after which a sweep gives up. */
const MAX_FAULTS = 100;

async function* oldFiles(objects: AsyncIterable<StoredObject>, before: Date) {
  for await (const { key, modifiedAt } of objects) {
    const documentId = documentIdOf(key);
    if (documentId !== undefined && modifiedAt < before) yield { key, documentId };
  }
}

async function* byDocument(files: AsyncIterable<{ key: string; documentId: string }>) {
  let batch = new Map<string, ReadonlyArray<string>>();
  let size = 0;
  for await (const { key, documentId } of files) {
    batch.set(documentId, [...(batch.get(documentId) ?? []), key]);
    size += 1;
    if (size < BATCH) continue;
    yield* batch;
    batch = new Map();
    size = 0;
  }
  yield* batch;
}

class Sweep {
  readonly #deps: SweepDeps;
  readonly #counts = { examined: 0, removed: 0, unfinished: 0, faults: 0 };

  constructor(deps: SweepDeps) {
    this.#deps = deps;
  }

  get isHopeless(): boolean {
    return this.#counts.faults >= MAX_FAULTS;
  }

  swept(isComplete: boolean): Swept {
    return { ...this.#counts, isComplete };
  }

  async clearUnfinished(before: Date): Promise<void> {
    const cleared = await this.#deps.storage.clearUnfinished(before);
    if (E.isLeft(cleared)) this.#fault({ _tag: 'UnfinishedNotCleared', failure: cleared.left });
    else this.#counts.unfinished += cleared.right;
  }

  async clearDocument(documentId: string, keys: ReadonlyArray<string>): Promise<void> {
    this.#counts.examined += keys.length;
    const unnamed = await unnamedFiles(this.#deps.store, documentId, keys);
    if (E.isLeft(unnamed)) this.#fault({ _tag: 'NotChecked', documentId, failure: unnamed.left });
    else for (const key of unnamed.right) await this.#remove(key);
  }

  async #remove(key: string): Promise<void> {
    const removed = await this.#deps.storage.remove(key);
    if (E.isLeft(removed)) this.#fault({ _tag: 'NotRemoved', key, failure: removed.left });
    else this.#counts.removed += 1;
  }

  #fault(fault: SweepFault): void {
    this.#counts.faults += 1;
    this.#deps.onFault(fault);
  }
}

/**
 * Removes files that no event names: those that a rejected command failed to remove, and those of appends whose outcome
 * was unknown and that were not stored. Continues after faults, in bounded memory and at a bounded rate; ends early
 * when `signal` aborts.
 */
export const sweepFiles =
  (deps: SweepDeps, { olderThan, documentsPerSecond }: SweepOptions = DEFAULT_SWEEP) =>
  async (signal: AbortSignal): Promise<E.Either<ClaimFailure, Swept>> => {
    const claimed = await claimStorage(deps);
    if (E.isLeft(claimed)) return claimed;
    const sweep = new Sweep(deps);
    if (claimed.right === 'MarkedNow') return E.right(sweep.swept(false));
    const before = new Date(deps.clock.date().getTime() - Math.max(olderThan, 2 * LONGEST_UPLOAD));
    try {
      await sweep.clearUnfinished(before);
      for await (const [documentId, keys] of byDocument(oldFiles(listed(deps.storage), before))) {
        if (signal.aborted || sweep.isHopeless) return E.right(sweep.swept(false));
        await sweep.clearDocument(documentId, keys);
        await deps.clock.sleep(1000 / documentsPerSecond, signal);
      }
      return E.right(sweep.swept(true));
    } catch (error) {
      if (!(error instanceof ListingFailed)) throw error;
      return E.left({ _tag: 'StorageUnavailable', cause: error.cause });
    }
  };
