import { addAbortSignal, type Writable } from 'node:stream';
import { either as E } from 'fp-ts';
import { type Checkpoint, openCheckpoint } from '../seal/checkpoint.js';
import { signNote } from '../seal/note.js';
import { renderVerifier } from '../seal/note-key.js';
import { CannotPack } from './cannot-pack.js';
import { byName, type ListedMember, type PackHead, renderManifest } from './manifest.js';
import { checked, listedPieces, type Member, shortMember } from './members.js';
import type { PackRecord, Packing, PackSources } from './pack-sources.js';
import { type NamedFile, type PackedEvent, packedEvent, recordLine } from './packed-event.js';
import { reportDecisions } from './packed-decision.js';
import { makePlaces, type Places } from './places.js';
import { RecordReport } from './report-record.js';
import { RECORD_END, recordOpening, reportEnd, reportOpening } from './report.js';
import { Survey, type SurveyedDecision, type SurveyedRecord } from './survey.js';
import { writeZip } from './zip.js';

/** What is in a pack. */
export type Packed = {
  readonly records: number;
  readonly events: number;
  readonly decisions: number;
  readonly files: number;
  readonly checkpoint: Checkpoint;
};

type Surveyed = {
  readonly records: ReadonlyArray<SurveyedRecord>;
  readonly decisions: ReadonlyArray<SurveyedDecision>;
  readonly files: ReadonlyArray<ListedMember>;
};

class Pack {
  readonly #sources: PackSources;
  readonly #packing: Packing;
  readonly #checkpoint: Checkpoint;
  readonly #places: Places;

  constructor(sources: PackSources, packing: Packing, checkpoint: Checkpoint) {
    this.#sources = sources;
    this.#packing = packing;
    this.#checkpoint = checkpoint;
    this.#places = makePlaces(checkpoint, sources);
  }

  async write(output: Writable): Promise<Packed> {
    const survey = new Survey(this.#sources, this.#places, this.#packing);
    const records = [];
    for (const record of this.#sources.records) records.push(await survey.read(record));
    records.sort((one, other) => byName(one.lines, other.lines));
    const decisions = await this.#decisions(survey);
    const files = survey.files.map((file) => this.#fileMember(file)).sort(byName);
    const members = await this.#membersOf({ records, decisions, files }, files, survey.events);
    const contents = members.map((member) => ({ name: member.name, content: () => checked(member) }));
    await writeZip(contents, output, this.#sources.createdAt, this.#packing.signal);
    const { events } = survey;
    const counts = { records: records.length, events, decisions: decisions.length, files: files.length };
    return { ...counts, checkpoint: this.#checkpoint };
  }

  /** Those that concern the records, in the order of their members. */
  async #decisions(survey: Survey): Promise<ReadonlyArray<SurveyedDecision>> {
    const { records, decisions, withData } = this.#sources;
    const streams = new Set<string>(records.map(({ stream }) => stream));
    const found = [];
    // without its data, nobody can tell from the pack which record a decision concerns
    for (const indexed of withData ? decisions : []) {
      const decision = await survey.readDecision(indexed, streams);
      if (decision !== undefined) found.push(decision);
    }
    return found.sort((one, other) => byName(one.line, other.line));
  }

  /** All members, in the order of their names. */
  async #membersOf(surveyed: Surveyed, files: ReadonlyArray<Member>, events: number): Promise<ReadonlyArray<Member>> {
    const { checkpoint, timestamp, keyChanges, signer, verifiers, withData, createdAt } = this.#sources;
    const { origin } = this.#checkpoint;
    const key = renderVerifier(signer.verifier);
    const counts = { records: surveyed.records.length, events, decisions: surveyed.decisions.length };
    const head = { origin, created: createdAt.toISOString(), withData, ...counts };
    const report = (): AsyncIterable<Buffer> => this.#report(head, key, surveyed);
    const members = [
      shortMember('checkpoint.txt', checkpoint),
      shortMember('key.txt', `${key}\n`),
      ...(timestamp === undefined ? [] : [shortMember('checkpoint.tsr', timestamp)]),
      ...(keyChanges === undefined ? [] : [shortMember('key-changes.txt', keyChanges)]),
      shortMember('verify.py', verifiers.python),
      shortMember('verify.html', verifiers.html),
      { ...(await listedPieces('report.html', report())), content: report },
      ...surveyed.records.map(({ lines, record }) => ({ ...lines, content: () => this.#lines(record) })),
      ...files,
    ];
    // one by one: there may be more than a call takes arguments
    for (const record of surveyed.records) for (const proof of this.#proofMembers(record)) members.push(proof);
    for (const decision of surveyed.decisions)
      for (const member of this.#decisionMembers(decision)) members.push(member);
    members.sort(byName);
    const manifest = signNote(renderManifest(head, members), signer);
    if (E.isLeft(manifest)) throw new CannotPack(`the manifest cannot be signed: ${manifest.left}`);
    return [...members, shortMember('manifest.txt', manifest.right)].sort(byName);
  }

  #proofMembers({ proofs, indexes }: SurveyedRecord): ReadonlyArray<Member> {
    const { proof } = this.#places;
    return proofs.map((member, revision) => ({
      ...member,
      content: async function* () {
        yield Buffer.from(await proof(indexes[revision] ?? 0));
      },
    }));
  }

  #decisionMembers({ decision, line, proof }: SurveyedDecision): ReadonlyArray<Member> {
    const places = this.#places;
    const proofContent = async function* () {
      yield Buffer.from(await places.proof(decision.index));
    };
    return [shortMember(line.name, recordLine(decision)), { ...proof, content: proofContent }];
  }

  #fileMember(file: NamedFile): Member {
    const { sha256, size: bytes } = file;
    const name = `files/${sha256}`;
    return { name, sha256, bytes, content: () => this.#content(file, name) };
  }

  async *#content(file: NamedFile, name: string): AsyncGenerator<Buffer> {
    const opened = await this.#sources.openFile(file);
    if (E.isLeft(opened)) throw new CannotPack(`${name} (${file.key} in the storage) cannot be read: ${opened.left}`);
    const { signal } = this.#packing;
    // the storage may give the next piece late or never: closing the file ends the wait for it
    if (signal !== undefined) addAbortSignal(signal, opened.right);
    // reason: a file is a byte stream; Readable itself is typed for objects too
    yield* opened.right as AsyncIterable<Buffer>;
  }

  async *#pages(record: PackRecord): AsyncGenerator<ReadonlyArray<PackedEvent>> {
    for await (const page of record.events()) {
      this.#packing.signal?.throwIfAborted();
      yield page.map((indexed) => packedEvent(indexed, this.#sources.withData));
    }
  }

  async *#lines(record: PackRecord): AsyncGenerator<Buffer> {
    for await (const page of this.#pages(record)) yield Buffer.from(page.map(recordLine).join(''));
  }

  async *#report(head: PackHead, key: string, surveyed: Surveyed): AsyncGenerator<Buffer> {
    const records = surveyed.records.map(({ reported }) => reported);
    const files = surveyed.files.length;
    yield Buffer.from(reportOpening({ head, checkpoint: this.#checkpoint, key, records, files }));
    for (const { record, reported } of surveyed.records) {
      yield Buffer.from(recordOpening(reported));
      const report = new RecordReport();
      for await (const page of this.#pages(record)) yield Buffer.from(page.map((event) => report.tell(event)).join(''));
      yield Buffer.from(RECORD_END);
    }
    const decisions = surveyed.decisions.map(({ decision }) => decision);
    yield Buffer.from(reportDecisions(decisions, records) + reportEnd(records));
  }
}

/** Names that stand in the pack as they are. */
const PLAIN = /^[A-Za-z]+-[A-Za-z0-9-]+$/;

const faultOf = (records: ReadonlyArray<PackRecord>): string | undefined => {
  const streams = records.map(({ stream }) => stream);
  const odd = streams.find((stream) => !PLAIN.test(stream));
  if (odd !== undefined) return `${odd} has other characters in its id than letters, digits and dashes`;
  if (streams.length === 0) return 'a pack has at least one record';
  return new Set(streams).size < streams.length ? 'a record is named twice' : undefined;
};

/**
 * Writes an audit pack (docs/audit-pack.md) and closes the output. Verifies each event on the way, so that no pack is made
 * that does not verify. Reads each record several times, page by page, and keeps about 3 KB of each event.
 *
 * Left: why there is no such pack; what was written by then is none. Rejects with what `events` or the output fails with,
 * and with the reason of the signal.
 */
export const writePack = async (
  sources: PackSources,
  output: Writable,
  packing: Packing = {},
): Promise<E.Either<CannotPack, Packed>> => {
  try {
    const fault = faultOf(sources.records);
    if (fault !== undefined) throw new CannotPack(fault);
    const checkpoint = openCheckpoint(Buffer.from(sources.checkpoint), [sources.signer.verifier]);
    if (E.isLeft(checkpoint)) throw new CannotPack(`the checkpoint is not one of the signing key: ${checkpoint.left}`);
    return E.right(await new Pack(sources, packing, checkpoint.right).write(output));
  } catch (error) {
    output.destroy();
    // what fails then fails because of it
    packing.signal?.throwIfAborted();
    if (error instanceof CannotPack) return E.left(error);
    throw error;
  }
};
