import { either as E } from 'fp-ts';
import { type ChainEnd, chainStart, extendChain, statedEnd } from '../event-sourcing/hash-chain.js';
import { type MacFault, makeMacVerifier } from '../event-sourcing/whole-log/mac-verifier.js';
import { CannotPack } from './cannot-pack.js';
import type { ListedMember } from './manifest.js';
import { Digest, listed } from './members.js';
import type { PackRecord, Packing, PackSources } from './pack-sources.js';
import {
  fileOf,
  type IndexedEvent,
  type NamedFile,
  type PackedEvent,
  packedEvent,
  recordLine,
} from './packed-event.js';
import { concernedBy, decisionPlace } from './packed-decision.js';
import type { Places } from './places.js';
import { type ReportedRecord, unreported, withEvent } from './report-record.js';

/** What one reading of a record has told. */
export type SurveyedRecord = {
  readonly record: PackRecord;
  /** Of its events, by revision: their places in the tree. */
  readonly indexes: ReadonlyArray<number>;
  readonly lines: ListedMember;
  readonly proofs: ReadonlyArray<ListedMember>;
  readonly reported: ReportedRecord;
};

/** A decision of operators that concerns a record of the pack. */
export type SurveyedDecision = {
  readonly decision: PackedEvent;
  readonly line: ListedMember;
  readonly proof: ListedMember;
};

const extended = (end: ChainEnd, { event }: IndexedEvent): ChainEnd => {
  const next = extendChain(end, event);
  if (E.isRight(next)) return next.right;
  throw new CannotPack(`${event.stream}, revision ${event.revision}, breaks its chain: ${next.left.reason}`);
};

const MAC_FAULTS: Readonly<Record<MacFault['_tag'], string>> = {
  MacMismatch: 'has a mac that does not fit: it was changed after it was sealed, or made up',
  UnknownKey: 'has a mac of an unknown key: it was made up, or a key is missing in EVENT_KEY',
  MacMissing: 'has no mac, and must have one: it was appended without the key, or its mac was cut out',
};

type MacRules = Pick<PackSources, 'eventKeys' | 'isMacRequired'>;

const verifyMac = ({ eventKeys, isMacRequired }: MacRules, { event, index }: IndexedEvent): void => {
  const verified = makeMacVerifier(eventKeys).verify(event, isMacRequired(index));
  if (E.isLeft(verified))
    throw new CannotPack(`${event.stream}, revision ${event.revision}, ${MAC_FAULTS[verified.left._tag]}`);
};

/** Reads records before they are written: verifies each event, and lists what will be in the pack of it. */
export class Survey {
  readonly #withData: boolean;
  readonly #macs: MacRules;
  readonly #places: Places;
  readonly #packing: Packing;
  readonly #files = new Map<string, NamedFile>();
  #events = 0;

  constructor(sources: MacRules & Pick<PackSources, 'withData'>, places: Places, packing: Packing) {
    this.#withData = sources.withData;
    this.#macs = sources;
    this.#places = places;
    this.#packing = packing;
  }

  get events(): number {
    return this.#events;
  }

  /** The files that the events named, each once. */
  get files(): ReadonlyArray<NamedFile> {
    return [...this.#files.values()];
  }

  /** Rejects with `CannotPack` when its chain is broken, a mac is amiss, or an event is not where the tree has it. */
  async read(record: PackRecord): Promise<SurveyedRecord> {
    const { stream } = record;
    const lines = new Digest();
    const indexes: Array<number> = [];
    const proofs: Array<ListedMember> = [];
    let reported = unreported(stream);
    let end = chainStart;
    for await (const page of record.events()) {
      this.#packing.signal?.throwIfAborted();
      for (const indexed of page) {
        end = extended(end, indexed);
        verifyMac(this.#macs, indexed);
        const event = packedEvent(indexed, this.#withData);
        lines.add(recordLine(event));
        reported = withEvent(reported, event);
        this.#nameFile(event);
        const name = `proofs/${stream}/${event.revision}.tlog-proof`;
        proofs.push(listed(name, await this.#places.verifiedProof(indexed, end.hash)));
        indexes.push(indexed.index);
      }
      this.#events += page.length;
      this.#packing.onVerified?.(this.#events);
    }
    if (indexes.length === 0) throw new CannotPack(`${stream} has no events`);
    return { record, indexes, proofs, reported, lines: lines.listedAs(`records/${stream}.ndjson`) };
  }

  /**
   * Verifies a decision by itself: the events before it are not in the pack. Undefined when it concerns none of the records.
   * Rejects like `read`.
   */
  async readDecision(indexed: IndexedEvent, records: ReadonlySet<string>): Promise<SurveyedDecision | undefined> {
    this.#packing.signal?.throwIfAborted();
    const { hash } = extended(statedEnd(indexed.event), indexed);
    verifyMac(this.#macs, indexed);
    const decision = packedEvent(indexed, this.#withData);
    const proof = await this.#places.verifiedProof(indexed, hash);
    if (!records.has(concernedBy(decision) ?? '')) return undefined;
    const place = decisionPlace(decision);
    return {
      decision,
      line: listed(`decisions/${place}.ndjson`, recordLine(decision)),
      proof: listed(`proofs/${place}.tlog-proof`, proof),
    };
  }

  #nameFile(event: PackedEvent): void {
    const file = fileOf(event);
    if (file === undefined) return;
    const { size } = this.#files.get(file.sha256) ?? file;
    if (size !== file.size)
      throw new CannotPack(
        `${event.stream}, revision ${event.revision}, says another size of the file ${file.sha256} than an event before it`,
      );
    this.#files.set(file.sha256, file);
  }
}
