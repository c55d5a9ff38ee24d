import type { Readable } from 'node:stream';
import type { either as E } from 'fp-ts';
import type { EventKeys } from '../event-sourcing/event-key.js';
import type { StreamName } from '../event-sourcing/recorded-event.js';
import type { Signer } from '../seal/note-key.js';
import type { ReadTiles } from '../seal/read-tiles.js';
import type { IndexedEvent, NamedFile } from './packed-event.js';

/** A record that goes into a pack. */
export type PackRecord = {
  readonly stream: StreamName;
  /** Its events from revision 0 on, in pages. It is called several times and gives the same each time. */
  readonly events: () => AsyncIterable<ReadonlyArray<IndexedEvent>>;
};

/** What a pack is made of. */
export type PackSources = {
  readonly records: ReadonlyArray<PackRecord>;
  /** Decisions of operators that are in the tree. Those that do not concern one of the records are left out. */
  readonly decisions: ReadonlyArray<IndexedEvent>;
  /** The signed note that all proofs lead to. */
  readonly checkpoint: string;
  /** What a time stamping authority answered about this checkpoint (RFC 3161, DER); undefined: none has. */
  readonly timestamp?: Buffer;
  /** The changes of the key that signs the log: their notes, oldest first, with an empty line between them; undefined: none. */
  readonly keyChanges?: string;
  /** What each `mac` is checked with; none where the settings have none. */
  readonly eventKeys: EventKeys;
  /** Whether the event at a place in the tree must have a `mac`. */
  readonly isMacRequired: (index: number) => boolean;
  readonly readTiles: ReadTiles<{ readonly _tag: string; readonly cause?: unknown }>;
  /** Holds the key that signed the checkpoint; signs the manifest. */
  readonly signer: Signer;
  /** Opens a file that an event names; the failure says why not. */
  readonly openFile: (file: NamedFile) => Promise<E.Either<string, Readable>>;
  readonly createdAt: Date;
  readonly withData: boolean;
  /** The programs that verify a pack, as members. */
  readonly verifiers: { readonly python: string; readonly html: string };
};

/** While a pack is made. */
export type Packing = {
  readonly signal?: AbortSignal;
  /** After each page of events that was verified: how many there are so far. */
  readonly onVerified?: (events: number) => void;
};
