import type { Revision } from '../recorded-event.js';

/** Commands remembered with their revisions; when there are more, the older half moves into the filter. */
const REMEMBERED = 1024;

/** Bits of the filter: 128 KiB for a stream of more keyed commands than are remembered. */
const FILTER_BITS = 2 ** 20;

/**
 * A Bloom filter over UUIDv5s. These are digests, so four slices of 20 bits of the id itself serve as its hashes. With
 * 100,000 commands in it, about one in 90 unknown ids is taken for a known one.
 */
class Filter {
  readonly #bits = new Uint32Array(FILTER_BITS / 32);

  add(commandId: string): void {
    for (const bit of bitsOf(commandId)) this.#bits[bit >>> 5] = (this.#bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
  }

  mayHave(commandId: string): boolean {
    return bitsOf(commandId).every((bit) => ((this.#bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0);
  }
}

/** The slices leave out the version, the variant and the last byte, which are not random. */
const bitsOf = (commandId: string): ReadonlyArray<number> => {
  const digits = commandId.replaceAll('-', '');
  return [0, 5, 17, 22].map((start) => parseInt(digits.slice(start, start + 5), 16) % FILTER_BITS);
};

/** What is known of a command id: where it is, that it is new, or that the log below `before` must be searched. */
type KeyedCommand =
  | { readonly _tag: 'Known'; readonly revision: Revision }
  | { readonly _tag: 'Unknown' }
  | { readonly _tag: 'PerhapsBefore'; readonly before: Revision };

/**
 * Which commands of a stream came with an `Idempotency-Key`, and where their events are. Neither the memory nor the time
 * of a lookup grows with the stream. For a new command the log has to be read only where the filter errs.
 */
export class KeyedCommands {
  /** Made with the first: most streams never see a key. */
  #recent: Map<string, Revision> | undefined;
  #forgotten: Filter | undefined;
  /** False: there are others in the stream, of which nothing is known. */
  readonly isComplete: boolean;

  constructor(isComplete = true) {
    this.isComplete = isComplete;
  }

  /** Whether there is any in the stream. */
  get isAny(): boolean {
    return !this.isComplete || this.#recent !== undefined;
  }

  add(commandId: string, revision: Revision): void {
    const recent = (this.#recent ??= new Map());
    recent.set(commandId, revision);
    if (recent.size > REMEMBERED) this.#forget(recent);
  }

  find(commandId: string): KeyedCommand {
    const revision = this.#recent?.get(commandId);
    if (revision !== undefined) return { _tag: 'Known', revision };
    const before = this.#recent?.values().next().value;
    return before !== undefined && this.#forgotten?.mayHave(commandId) === true
      ? { _tag: 'PerhapsBefore', before }
      : { _tag: 'Unknown' };
  }

  #forget(recent: ReadonlyMap<string, Revision>): void {
    const forgotten = (this.#forgotten ??= new Filter());
    const all = [...recent];
    for (const [commandId] of all.slice(0, REMEMBERED / 2)) forgotten.add(commandId);
    this.#recent = new Map(all.slice(REMEMBERED / 2));
  }
}
