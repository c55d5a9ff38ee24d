import type { Revision } from '../recorded-event.js';

/** Commands remembered with their revisions; further ones push the older half into the filter. */
const REMEMBERED = 1024;

/** Bits of the filter: 128 KiB for a stream of more keyed commands than are remembered. */
const FILTER_BITS = 2 ** 20;

/**
 * A Bloom filter over UUIDv5s. They are digests, so that slices of one serve as its hashes: of the 122 random bits
 * four times 20 are taken. At 100,000 commands one in about 90 strangers is taken for a member.
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

/** The digits stay clear of the version, the variant and the last byte, which are not random. */
const bitsOf = (commandId: string): ReadonlyArray<number> => {
  const digits = commandId.replaceAll('-', '');
  return [0, 5, 17, 22].map((start) => parseInt(digits.slice(start, start + 5), 16) % FILTER_BITS);
};

/** What is known of a command id: where it is, that it is nowhere, or that only the log below `before` can tell. */
type KeyedCommand =
  | { readonly _tag: 'Known'; readonly revision: Revision }
  | { readonly _tag: 'Unknown' }
  | { readonly _tag: 'PerhapsBefore'; readonly before: Revision };

/**
 * Which commands of a stream came with an `Idempotency-Key`, and where their events are. Memory and the cost of a
 * question do not grow with the stream; a command that was never there is told from an old one without asking the log,
 * but for the filter's errors.
 */
export class KeyedCommands {
  /** Made with the first: most streams never see a key. */
  #recent: Map<string, Revision> | undefined;
  #forgotten: Filter | undefined;

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
