import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { constants, crc32, deflateRawSync } from 'node:zlib';
import { type PackHead, renderManifest } from '../../src/audit-pack/manifest.js';
import { type PackedEvent, packedEvent, recordLine } from '../../src/audit-pack/packed-event.js';
import { writeZip } from '../../src/audit-pack/zip.js';
import { RecordReport, unreported, withEvent } from '../../src/audit-pack/report-record.js';
import { RECORD_END, recordOpening, reportEnd, reportOpening } from '../../src/audit-pack/report.js';
import type { Json, JsonObject } from '../../src/event-sourcing/canonical-json.js';
import { GENESIS_HASH, newSalt, seal } from '../../src/event-sourcing/envelope.js';
import type { StoredEvent, StreamName } from '../../src/event-sourcing/recorded-event.js';
import { openCheckpoint, signCheckpoint } from '../../src/seal/checkpoint.js';
import { leafHash } from '../../src/seal/hash.js';
import { signNote } from '../../src/seal/note.js';
import { renderVerifier, type Signer, signerOf } from '../../src/seal/note-key.js';
import { proveInclusion } from '../../src/seal/proofs.js';
import { renderTlogProof } from '../../src/seal/tlog-proof.js';
import { makePackedLog, membersOf, packOf } from './audit-pack.js';
import { leafDataOf, right, treeOver } from './sealed-tree.js';
import { leavesOf } from './sealed-log.js';
import { storedZip } from './stored-zip.js';
import {
  IN_END,
  IN_ENTRY,
  packedAs,
  partsOf,
  widened,
  withExtra,
  withNumber,
  zipAsItIs,
  type ZipMemberParts,
  zipOf,
  type ZipParts,
} from './zip-parts.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

type Members = ReadonlyMap<string, Buffer>;

const log = makePackedLog();
export const PACK_KEY = log.key;
const ORIGIN = log.signer.verifier.name;
const [, KEY_ID = ''] = PACK_KEY.split('+');
const [ODD, , ACME] = log.streams as [StreamName, StreamName, StreamName]; // reason: there are four of them

/** In the layout of the packer, whatever is in it. */
export const zipped = async (members: Members, created = new Date(HEAD.created)): Promise<Buffer> => {
  const output = new PassThrough();
  const named = [...members].map(([name, content]) => ({ name, content: () => Readable.from([content]) }));
  named.sort((one, other) => (one.name < other.name ? -1 : 1));
  const [bytes] = await Promise.all([buffer(output), writeZip(named, output, created)]);
  return bytes;
};

const digestOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

const HEAD: PackHead = {
  origin: ORIGIN,
  created: '2026-02-03T04:05:06.789Z',
  withData: true,
  records: 4,
  events: 23,
  decisions: 1,
};

const note = (text: string, signer: Signer = log.signer): Buffer => Buffer.from(right(signNote(text, signer)));

/** The text of a manifest that lists these members. */
export const manifestText = (members: Members, head: PackHead = HEAD): string =>
  renderManifest(
    head,
    [...members]
      .filter(([name]) => name !== 'manifest.txt')
      .map(([name, content]) => ({ name, sha256: digestOf(content), bytes: content.length }))
      .sort((one, other) => (one.name < other.name ? -1 : 1)),
  );

/** As the service would sign it if it were made to lie: the manifest lists what is there. */
const signedAgain = (members: Members, head?: PackHead, signer?: Signer): Members =>
  new Map([...members, ['manifest.txt', note(manifestText(members, head), signer)]]);

const put =
  (name: string, change: (content: string) => string | Buffer) =>
  (members: Members): Members => {
    const before = members.get(name)?.toString() ?? '';
    const after = Buffer.from(change(before));
    if (after.toString() === before) throw new Error(`${name} was not changed`);
    return new Map([...members, [name, after]]);
  };
const without =
  (name: string) =>
  (members: Members): Members => {
    if (!members.has(name)) throw new Error(`there is no ${name}`);
    return new Map([...members].filter(([other]) => other !== name));
  };
const line = (number: number, change: (line: string) => string) => (content: string) => {
  const lines = content.split('\n');
  return lines.with(number - 1, change(lines[number - 1] ?? '')).join('\n');
};
const swap = (from: string | RegExp, to: string) => (content: string) => content.replace(from, to);
const manifest = (change: (text: string) => string) => (members: Members) =>
  new Map([...members, ['manifest.txt', note(change(manifestText(members)))]]);

const record = (stream: StreamName): string => `records/${stream}.ndjson`;
const proof = (stream: StreamName, revision: number): string => `proofs/${stream}/${revision}.tlog-proof`;
const decision = (revision: number): string => `decisions/operations-businesses/${revision}.ndjson`;
/** The one that is in the good pack, and the one before it, about another record. */
const [DECISION, FOREIGN_DECISION] = [decision(1), decision(0)];
const decisionProof = (name: string): string => name.replace('decisions/', 'proofs/').replace('.ndjson', '.tlog-proof');
const fileOf = (at: number): string => `files/${digestOf([...log.files.values()][at] ?? Buffer.alloc(0))}`;
const [FIRST_FILE, SECOND_FILE] = [fileOf(0), fileOf(1)];
/** The third member of the pack, behind the checkpoint and a decision. */
const [FIRST_NAME = ''] = [FIRST_FILE, SECOND_FILE].sort();
const other = right(signerOf(ORIGIN, leafDataOf('another key', 0)));

/** What somebody has sealed in a log of three events or more; the data and its salt may be gone since. */
type Fact = { readonly index: number; readonly data: Json; readonly type?: string; readonly isErased?: boolean };

/** A pack with one record, of events that were sealed at these places of a log of their own. */
const handMade = async (facts: ReadonlyArray<Fact>, files: ReadonlyArray<Buffer> = []): Promise<Members> => {
  const stream: StreamName = 'document-7';
  let previousHash = GENESIS_HASH;
  const leaves = Array.from({ length: Math.max(3, facts.length) }, (_, index) => leafDataOf('others', index));
  const events = facts.map(({ index, data, type = 'DocumentCreated', isErased = false }, revision): PackedEvent => {
    const place = { id: `id-${revision}`, stream, revision: BigInt(revision), type };
    const {
      hash,
      data: text,
      metadata,
    } = seal(
      {
        ...place,
        data,
        schemaVersion: 1,
        at: '2026-01-02T03:04:05.678Z',
        actor: 'alice',
        correlationId: 'request',
        causationId: 'command',
        request: 'null',
        previousHash,
      },
      newSalt(systemRuntime.random),
    );
    previousHash = hash;
    leaves[index] = Buffer.from(hash, 'hex');
    const { salt, ...envelope } = JSON.parse(metadata) as JsonObject; // reason: sealed above
    return {
      ...place,
      index,
      revision: String(revision),
      data: isErased ? {} : (JSON.parse(text) as Json), // reason: sealed above
      metadata: isErased ? envelope : { ...envelope, salt },
    };
  });
  const tree = treeOver(leaves.map(leafHash));
  const checkpoint = right(signCheckpoint({ size: leaves.length, root: tree.root }, log.signer));
  const head = { ...HEAD, records: 1, events: events.length, decisions: 0 };
  const members = new Map<string, Buffer>([
    ['checkpoint.txt', Buffer.from(checkpoint)],
    ['key.txt', Buffer.from(`${PACK_KEY}\n`)],
    ['verify.py', Buffer.from('#')],
    ['verify.html', Buffer.from('<')],
    [record(stream), Buffer.from(events.map(recordLine).join(''))],
    ...files.map((content) => [`files/${digestOf(content)}`, content] as const),
  ]);
  for (const [revision, { index }] of events.entries()) {
    const hashes = right(await proveInclusion(index, leaves.length, tree.read));
    members.set(proof(stream, revision), Buffer.from(renderTlogProof({ index, hashes, checkpoint })));
  }
  const reported = [events.reduce(withEvent, unreported(stream))];
  const report = new RecordReport();
  const about = {
    head,
    checkpoint: right(openCheckpoint(Buffer.from(checkpoint), [log.signer.verifier])),
    key: PACK_KEY,
  };
  members.set(
    'report.html',
    Buffer.from(
      reportOpening({ ...about, records: reported, files: files.length }) +
        reported.map(recordOpening).join('') +
        events.map((event) => report.tell(event)).join('') +
        RECORD_END +
        reportEnd(reported),
    ),
  );
  return signedAgain(members, head);
};

/** The pack of them, as the packer writes it. */
export const packOfFacts = async (facts: ReadonlyArray<Fact>, files?: ReadonlyArray<Buffer>): Promise<Buffer> =>
  zipped(await handMade(facts, files));

export const FILE = Buffer.from('a file\n');
export const fileData = (over: JsonObject): JsonObject => ({
  file: { key: 'k', mimeType: 'text/plain', originalName: 'a', sha256: digestOf(FILE), size: FILE.length, ...over },
});

let made: Promise<Members> | undefined;
const good = (): Promise<Members> => (made ??= packOf(log.sources()).then(membersOf));

type Pack = () => Promise<Buffer>;

/** Packs that verify: as they are written, and in odd forms, which shows that the bad ones fail of what is bad in them. */
export const goodPacks: ReadonlyArray<readonly [what: string, pack: Pack, said: RegExp]> = [
  ['as it is written', () => packOf(log.sources()), /^1 event has its data withheld: nothing was verified of it\.$/m],
  [
    'without data',
    () => packOf(log.sources({ withData: false })),
    /^23 events have their data withheld: nothing was verified of it\.$/m,
  ],
  [
    'of which the data of an event was erased that others follow',
    () => packOf(makePackedLog({ erased: 122 }).sources()),
    /^1 event has its data withheld/m,
  ],
  [
    'of one record, all data of which is there',
    () => packOf(log.sources({ of: [ODD] })),
    /^All data was there and is what was sealed\.\n0 files/m,
  ],
  ['as it was written before', () => readFile('test/fixtures/audit-pack/v1.zip'), /^2 files: /m],
  [
    'as it was written before there were members that a pack may lack',
    () => readFile('test/fixtures/audit-pack/v2.zip'),
    /^1 decision of /m,
  ],
  [
    'as it was written before, without data',
    () => readFile('test/fixtures/audit-pack/v1-without-data.zip'),
    /^23 events have their data withheld/m,
  ],
  [
    'with members that were deflated in another way',
    async () => {
      const plain = [...(await good()).values()];
      const { members, end } = partsOf(await zipped(await good()));
      return zipOf({
        members: members.map((member, at) => packedAs(member, deflateRawSync(plain[at]!, { level: 1 }))),
        end,
      });
    },
    /^2 files: /m,
  ],
  [
    'of two events',
    async () =>
      zipped(
        await handMade([
          { index: 0, data: {} },
          { index: 2, data: {} },
        ]),
      ),
    /^2 events/,
  ],
  [
    'of data that is nested, with what looks like more of it in texts',
    async () => {
      const data = [JSON.parse(nested(99, ['{"a":', '1', '}'])) as Json, `\\"${'['.repeat(200)}`]; // reason: it is JSON
      return zipped(
        await handMade([
          { index: 0, data: data[0] ?? null },
          { index: 1, data: data[1] ?? null },
        ]),
      );
    },
    /^2 events/,
  ],
  ['of data that is null', async () => zipped(await handMade([{ index: 0, data: null }])), /^All data was there/m],
  ['of a file', async () => zipped(await handMade([{ index: 1, data: fileData({}) }], [FILE])), /^1 file: /m],
];

/** Of which nobody can tell that it is not the whole: the last event of a record was left out, and the pack signed anew. */
export const cutPack: Pack = async () => {
  const cut = log.sources().records.map((source) => ({
    ...source,
    // eslint-disable-next-line @typescript-eslint/require-await -- a log is asynchronous, memory is not
    events: async function* () {
      const own = log.events.flatMap((event, index) => (event.stream === source.stream ? [{ index, event }] : []));
      yield source.stream === ACME ? own.slice(0, -1) : own;
    },
  }));
  return packOf(log.sources({ records: cut }));
};

/** A pack that does not verify, and the words of both verifiers. */
type BadPack = {
  readonly what: string;
  readonly pack: Pack;
  readonly said: string;
  /** Where it is not the key of the log. */
  readonly key?: string;
};

const NO_ZIP = 'the pack is no ZIP in the one layout of packs: it was changed, or another program wrote it';
const NO_KEY = 'the key is not of the form NAME+ID+BASE64';
const keyOfBytes = (...bytes: ReadonlyArray<number>): string =>
  `${ORIGIN}+${KEY_ID}+${Buffer.from(bytes).toString('base64')}`;
/** The neutral point (y = 1) as y = 1 with the sign of a zero x, which RFC 8032 does not allow. */
const SPELLED = Buffer.from(`01${'00'.repeat(30)}80`, 'hex');
const FORGED = 'the signature of manifest.txt does not fit: it was changed, or is forged';
const changed = (name: string): string => `${name} is not what manifest.txt lists: it was changed`;
const atLine = (number: number, stream: StreamName, said: string): string =>
  `line ${number} of ${record(stream)}: ${said}`;

/** The members of the good pack, changed by somebody without the key. */
const bad = (what: string, change: (members: Members) => Members, said: string): BadPack => ({
  what,
  pack: async () => zipped(change(await good())),
  said,
});

/** The same by somebody who has the manifest signed anew, so that it is not the manifest that shows it. */
const signed = (what: string, change: (members: Members) => Members, said: string): BadPack => ({
  what: `${what}, and the manifest was signed anew`,
  pack: async () => zipped(signedAgain(change(await good()))),
  said,
});

/** The good pack with another manifest, signed by the key of the log. */
const listing = (what: string, change: (text: string) => string, said: string): BadPack => ({
  what,
  pack: async () => zipped(manifest(change)(await good())),
  said,
});

/** The good pack, whose ZIP is put together in another way. */
const odd = (what: string, pack: (parts: ZipParts) => Buffer, said = NO_ZIP): BadPack => ({
  what,
  pack: async () => pack(partsOf(await zipped(await good()))),
  said,
});

/** The same with a change of one member; offsets and counts are true. */
const oddMember = (
  what: string,
  change: (member: ZipMemberParts) => Partial<ZipMemberParts>,
  said?: string,
  at = 0,
): BadPack =>
  odd(
    what,
    ({ members, end }) => zipOf({ members: members.with(at, { ...members.at(at)!, ...change(members.at(at)!) }), end }),
    said,
  );

/** A member that says of another number of bytes that they are its content. */
const sized = ({ descriptor, entry }: ZipMemberParts, more: number): Partial<ZipMemberParts> => ({
  descriptor: withNumber(descriptor, 12, 4, descriptor.readUInt32LE(12) + more),
  entry: withNumber(entry, IN_ENTRY.size, 4, entry.readUInt32LE(IN_ENTRY.size) + more),
});

/** Two GiB of zeros, deflated: a block of a MiB, again and again, and the end of the stream. */
const BOMB_BYTES = 2 ** 31;
export const bomb = (): Buffer => {
  const block = deflateRawSync(Buffer.alloc(2 ** 20), { finishFlush: constants.Z_FULL_FLUSH });
  return Buffer.concat([...Array.from({ length: BOMB_BYTES / 2 ** 20 }, () => block), deflateRawSync(Buffer.alloc(0))]);
};

/** Lists within lists, or objects within objects. */
const nested = (depth: number, [opening, inner, closing]: readonly [string, string, string] = ['[', '', ']']): string =>
  opening.repeat(depth) + inner + closing.repeat(depth);

/** The place of `report.html` among the members of the good pack. */
const REPORT = -3;
const DAMAGED = 'checkpoint.txt cannot be read out of the ZIP: it is damaged';
/** An Info-ZIP Unicode Path: a name in place of the one that the member has. */
const ANOTHER_NAME = Buffer.from('757006000100000000' + '78', 'hex');
const SPELLING = 'is not in the one spelling of such a line (RFC 8785)';
const TOO_DEEP = 'is JSON that is nested deeper than 100 levels';
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const NOT_AT_PLACE = 'its proof does not lead to the root of checkpoint.txt: it is not the event at that place';

/** A sealed event of the log as a decision of the good pack, with its own proof, by who has the key. */
const decisionsOf = async (at: (event: StoredEvent) => boolean): Promise<Members> => {
  const index = log.events.findIndex(at);
  const event = packedEvent({ index, event: log.events[index]! }, true);
  const proved = right(
    await proveInclusion(index, log.events.length, treeOver(leavesOf(log.events).map(leafHash)).read),
  );
  const name = `decisions/${event.stream}/${event.revision}.ndjson`;
  return new Map([
    [name, Buffer.from(recordLine(event))],
    [decisionProof(name), Buffer.from(renderTlogProof({ index, hashes: proved, checkpoint: log.checkpoint }))],
  ]);
};

const NO_DECISION = 'is no decision that concerns a record of the pack';

/** The good pack with another decision besides, which the manifest counts. */
const deciding = (what: string, at: (event: StoredEvent) => boolean, said: string): BadPack => ({
  what,
  pack: async () =>
    zipped(signedAgain(new Map([...(await good()), ...(await decisionsOf(at))]), { ...HEAD, decisions: 2 })),
  said,
});

const badDecisions: ReadonlyArray<BadPack> = [
  bad('lacks a decision', without(DECISION), `${DECISION} is missing: manifest.txt lists it`),
  bad('has another decision', put(DECISION, swap('<odd>', '<oda>')), changed(DECISION)),
  {
    what: 'lacks a decision with its proof, which the manifest counts',
    pack: async () => zipped(signedAgain(without(DECISION)(without(decisionProof(DECISION))(await good())))),
    said: 'manifest.txt says 1 decisions, there are others',
  },
  {
    what: 'lacks a decision, the manifest does not count it, and its proof is there',
    pack: async () => zipped(signedAgain(without(DECISION)(await good()), { ...HEAD, decisions: 0 })),
    said: `${decisionProof(DECISION)} belongs to no event of the pack`,
  },
  {
    what: 'lacks a decision that the report tells of',
    pack: async () =>
      zipped(signedAgain(without(DECISION)(without(decisionProof(DECISION))(await good())), { ...HEAD, decisions: 0 })),
    said: 'report.html does not say what the sealed events say',
  },
  deciding(
    'has a decision about another record',
    ({ stream, revision }) => stream === 'operations-businesses' && revision === 0n,
    `${FOREIGN_DECISION}: ${NO_DECISION}`,
  ),
  deciding(
    'has a decision about no record',
    ({ type }) => type === 'SealingSwitched',
    `decisions/operations-seal/0.ndjson: ${NO_DECISION}`,
  ),
  deciding(
    'has an event of a record as a decision',
    ({ stream }) => stream === ACME,
    'manifest.txt says 2 decisions, there are others',
  ),
  signed('has a decision without its proof', without(decisionProof(DECISION)), `${DECISION}: has no proof in the pack`),
  signed(
    'has a decision with the proof of another event',
    (members) => new Map([...members, [decisionProof(DECISION), members.get(proof(ACME, 1))!]]),
    `${DECISION}: its proof is of another place in the log`,
  ),
  signed(
    'has a decision with the proof of another event, of its own place',
    (members) =>
      put(decisionProof(DECISION), () => members.get(proof(ACME, 1))!.toString().replace('index 122', 'index 294'))(
        members,
      ),
    `${DECISION}: ${NOT_AT_PLACE}`,
  ),
  signed(
    'has a decision at another place',
    (members) =>
      put(decisionProof(DECISION), swap('index 294', 'index 293'))(put(DECISION, swap('"294"', '"293"'))(members)),
    `${DECISION}: ${NOT_AT_PLACE}`,
  ),
  signed(
    'has a decision of another reason',
    put(DECISION, swap('<odd>', '<oda>')),
    `${DECISION}: dataHash does not match data`,
  ),
  signed(
    'has a decision by another operator',
    put(DECISION, swap('"actor":"operator"', '"actor":"nobody"')),
    `${DECISION}: hash does not match the event`,
  ),
  signed(
    'has a decision with another event before it',
    put(DECISION, swap(/(?<="previousHash":")./, 'x')),
    `${DECISION}: hash does not match the event`,
  ),
  signed(
    'has a decision without its data',
    put(DECISION, (text) => text.replace(/"data":[^]*?,"metadata"/, '"metadata"').replace(/,?"salt":"[^"]*"/, '')),
    `${DECISION}: ${NO_DECISION}`,
  ),
  signed(
    'has a decision that its name does not name',
    (members) => new Map([...without(DECISION)(members), [decision(7), members.get(DECISION)!]]),
    `${decision(7)}: is another event than its name says: operations-businesses, revision 1`,
  ),
  signed(
    'has two decisions in a member',
    put(DECISION, (text) => text + text),
    `${DECISION}: is no JSON`,
  ),
  signed(
    'has half a decision',
    put(DECISION, (text) => text.slice(0, -1)),
    `${DECISION}: is not a whole line`,
  ),
  signed(
    'has no line of a decision',
    put(DECISION, () => ''),
    `${DECISION}: is not a whole line`,
  ),
  {
    what: 'is said to be without data, and has a decision',
    pack: async () => {
      const withheld = await membersOf(await packOf(log.sources({ withData: false })));
      const decided = [...(await good())].filter(([name]) => [DECISION, decisionProof(DECISION)].includes(name));
      return zipped(signedAgain(new Map([...withheld, ...decided]), { ...HEAD, withData: false }));
    },
    said: `${DECISION}: is there, and manifest.txt says that data is withheld`,
  },
];

export const badPacks: ReadonlyArray<BadPack> = [
  ...badDecisions,
  // the ZIP
  { what: 'is empty', pack: () => Promise.resolve(Buffer.alloc(0)), said: NO_ZIP },
  { what: 'is no ZIP', pack: () => Promise.resolve(Buffer.from('hello '.repeat(100))), said: NO_ZIP },
  { what: 'has no members', pack: () => Promise.resolve(storedZip([])), said: NO_ZIP },
  {
    what: 'has members that are stored',
    pack: async () => storedZip([...(await good())].map(([name, content]) => ({ name, content }))),
    said: NO_ZIP,
  },
  {
    what: 'is in the form of ZIP64 without need',
    pack: async () =>
      storedZip(
        [...(await good())].map(([name, content]) => ({ name, content })),
        { zip64: true },
      ),
    said: NO_ZIP,
  },
  odd('is cut', (parts) => zipOf(parts).subarray(0, -1)),
  odd('goes on behind its end', (parts) => Buffer.concat([zipOf(parts), Buffer.from('more')])),
  odd('has a comment', ({ members, end }) =>
    zipOf({ members, end: Buffer.concat([withNumber(end, IN_END.comment, 2, 5), Buffer.from('hello')]) }),
  ),
  odd('has the length of a comment', ({ members, end }) =>
    zipOf({ members, end: withNumber(end, IN_END.comment, 2, 5) }),
  ),
  odd('is said to be on two disks', ({ members, end }) => zipOf({ members, end: withNumber(end, 4, 2, 1) })),
  odd('has a wrong count of members', ({ members, end }) =>
    zipAsItIs({ members, end: withNumber(end, IN_END.count, 2, members.length - 1) }),
  ),
  odd('has another count of members on this disk', ({ members, end }) =>
    zipAsItIs({ members, end: withNumber(end, IN_END.onDisk, 2, members.length - 1) }),
  ),
  odd('has a directory elsewhere', ({ members, end }) =>
    zipAsItIs({ members, end: withNumber(end, IN_END.at, 4, end.readUInt32LE(IN_END.at) + 1) }),
  ),
  odd('has a directory that is said to be larger than any', ({ members, end }) =>
    zipAsItIs({ members, end: withNumber(end, IN_END.size, 4, 0xfffffffe) }),
  ),
  odd('begins before its first member', (parts) => Buffer.concat([Buffer.from('#!'), zipAsItIs(parts)])),
  odd('begins before its first member, with true offsets', ({ members, end }) => {
    const zip = partsOf(zipOf({ members, end }));
    const moved = zip.members.map(({ entry, ...member }) => ({
      ...member,
      entry: withNumber(entry, IN_ENTRY.at, 4, entry.readUInt32LE(IN_ENTRY.at) + 2),
    }));
    const at = zip.end.readUInt32LE(IN_END.at) + 2;
    return Buffer.concat([
      Buffer.from('#!'),
      zipAsItIs({ members: moved, end: withNumber(zip.end, IN_END.at, 4, at) }),
    ]);
  }),
  oddMember('has bytes between its members', ({ descriptor }) => ({
    descriptor: Buffer.concat([descriptor, Buffer.from('secret')]),
  })),
  oddMember(
    'has bytes behind its members',
    ({ descriptor }) => ({ descriptor: Buffer.concat([descriptor, Buffer.of(0)]) }),
    NO_ZIP,
    -1,
  ),
  oddMember('has a member with two names', ({ local }) => ({ local: Buffer.from(local.with(30, 120)) })),
  oddMember(
    'has a member of another time',
    ({ entry }) => ({ entry: withNumber(entry, entry.length - 4, 4, 1) }),
    NO_ZIP,
    3,
  ),
  odd('has a member twice', ({ members, end }) => zipOf({ members: members.toSpliced(-1, 0, members.at(-1)!), end })),
  odd('has members in another order', ({ members, end }) => zipOf({ members: members.toReversed(), end })),
  odd('has a directory in another order', ({ members, end }) => {
    const zip = partsOf(zipOf({ members, end }));
    const entries = zip.members.map(({ entry }) => entry).toReversed();
    return zipAsItIs({ members: zip.members.map((member, at) => ({ ...member, entry: entries[at]! })), end: zip.end });
  }),
  oddMember('has a member that is packed in another way', ({ local, entry }) => ({
    local: withNumber(local, 8, 2, 12),
    entry: withNumber(entry, 10, 2, 12),
  })),
  oddMember('has a name with a zero in it', ({ local, entry }) => ({
    local: Buffer.from(local.with(40, 0)),
    entry: Buffer.from(entry.with(56, 0)),
  })),
  oddMember('has a member that is given another name by an extra field', ({ entry }) => ({
    entry: withExtra(entry, ANOTHER_NAME),
  })),
  oddMember('has a member that is given another name by an extra field before its content', ({ local }) => ({
    local: withExtra(local, ANOTHER_NAME),
  })),
  oddMember('has a member with an extra field of time before its content', ({ local, entry }) => ({
    local: withExtra(local, entry.subarray(-9)),
  })),
  oddMember('has a member with a comment', ({ entry }) => ({
    entry: Buffer.concat([withNumber(entry, IN_ENTRY.comment, 2, 5), Buffer.from('hello')]),
  })),
  oddMember('has a member with half an extra field', ({ entry }) => ({
    entry: withExtra(entry, Buffer.from('55540900', 'hex')),
  })),
  oddMember('has a member that is a symbolic link', ({ entry }) => ({
    entry: withNumber(entry, IN_ENTRY.attributes, 4, 0o120777 * 0x10000),
  })),
  oddMember('has a member that is a folder', ({ entry }) => ({
    entry: withNumber(entry, IN_ENTRY.attributes, 4, 0o100644 * 0x10000 + 0x10),
  })),
  oddMember('has a member of two methods', ({ local }) => ({ local: withNumber(local, 8, 2, 0) })),
  oddMember('has a member that is encrypted or not', ({ local }) => ({ local: withNumber(local, 6, 2, 0x0809) })),
  oddMember('has a member that is encrypted', ({ local, entry }) => ({
    local: withNumber(local, 6, 2, 0x0809),
    entry: withNumber(entry, 8, 2, 0x0809),
  })),
  oddMember('has a member of a later version of ZIP', ({ local, entry }) => ({
    local: withNumber(local, 4, 2, 99),
    entry: withNumber(entry, 6, 2, 99),
  })),
  oddMember('has a member that is said to be stored', ({ local, entry }) => ({
    local: withNumber(local, 8, 2, 0),
    entry: withNumber(entry, 10, 2, 0),
  })),
  oddMember('has a member whose sizes are stated before its content', ({ local, descriptor }) => ({
    local: Buffer.concat([local.subarray(0, 14), descriptor.subarray(4), local.subarray(26)]),
  })),
  oddMember('has a member whose sizes are stated before its content alone', ({ local, descriptor, entry }) => ({
    local: withNumber(Buffer.concat([local.subarray(0, 14), descriptor.subarray(4), local.subarray(26)]), 6, 2, 0x0800),
    descriptor: Buffer.alloc(0),
    entry: withNumber(entry, 8, 2, 0x0800),
  })),
  oddMember('has a member without the signature of what stands behind it', ({ descriptor }) => ({
    descriptor: descriptor.subarray(4),
  })),
  oddMember('has a member with other sizes behind it', ({ descriptor }) => ({
    descriptor: withNumber(descriptor, 12, 4, 7),
  })),
  oddMember(
    'has a member of another CRC',
    ({ descriptor, entry }) => ({
      descriptor: withNumber(descriptor, 4, 4, 7),
      entry: withNumber(entry, IN_ENTRY.crc, 4, 7),
    }),
    DAMAGED,
  ),
  oddMember('has a member that is said to be smaller', (member) => sized(member, -1), changed('checkpoint.txt')),
  oddMember('has a member that is said to be larger', (member) => sized(member, 1), changed('checkpoint.txt')),
  oddMember(
    'has a manifest that is said to be smaller',
    (member) => sized(member, -1),
    'manifest.txt cannot be read out of the ZIP: it is damaged',
    5,
  ),
  oddMember(
    'has a manifest that is said to be larger',
    (member) => sized(member, 1),
    'manifest.txt cannot be read out of the ZIP: it is damaged',
    5,
  ),
  oddMember(
    'has bytes behind the content of a member',
    (member) => packedAs(member, Buffer.concat([member.content, Buffer.from('secret')])),
    DAMAGED,
  ),
  oddMember(
    'has a second content behind that of a member',
    (member) => packedAs(member, Buffer.concat([member.content, member.content])),
    DAMAGED,
  ),
  oddMember(
    'has a member that ends within its content',
    (member) => packedAs(member, member.content.subarray(0, -1)),
    DAMAGED,
  ),
  oddMember('has a member without any content', (member) => packedAs(member, Buffer.alloc(0)), DAMAGED),
  oddMember(
    'has a member that is said to be deflated',
    (member) => packedAs(member, Buffer.from('hello '.repeat(10))),
    DAMAGED,
  ),
  // what has been shown to unpack as something else than was verified: a stored report with more bytes than its size …
  oddMember(
    'has a stored report with a forged end',
    (member) => {
      const forged = Buffer.from('<p>forged</p>');
      const sizes = (header: Buffer, at: number): Buffer =>
        withNumber(
          withNumber(withNumber(header, at, 4, crc32(forged)), at + 4, 4, forged.length + 7),
          at + 8,
          4,
          forged.length,
        );
      return {
        local: sizes(withNumber(withNumber(member.local, 6, 2, 0x0800), 8, 2, 0), 14),
        content: Buffer.concat([forged, Buffer.alloc(7)]),
        descriptor: Buffer.alloc(0),
        entry: sizes(withNumber(withNumber(member.entry, 8, 2, 0x0800), 10, 2, 0), IN_ENTRY.crc),
      };
    },
    NO_ZIP,
    REPORT,
  ),
  // … and a local header that lies of where its content ends, so that who reads from the start finds a report within a file
  oddMember(
    'has a local header that ends within the content',
    ({ local, content }) => ({ local: withNumber(withNumber(local, 18, 4, content.length - 5), 22, 4, 3) }),
    NO_ZIP,
    2,
  ),
  oddMember('has a file that is said to be of five GB', (member) => widened(member, 5e9), changed(FIRST_NAME), 2),
  oddMember(
    'has a file that is said to be of five GB, with its size in 32 bits',
    (member) => ({ ...widened(member, 5e9), descriptor: member.descriptor }),
    NO_ZIP,
    2,
  ),
  oddMember('has a file of a few bytes in the form of ZIP64', (member) => widened(member, 26), NO_ZIP, 2),
  {
    what: 'of the form before is said to be of the newest one',
    pack: async () =>
      zipped(
        signedAgain(await membersOf(await readFile('test/fixtures/audit-pack/v1.zip')), { ...HEAD, decisions: 0 }),
      ),
    said: 'report.html does not say what the sealed events say',
  },
  // bombs
  oddMember(
    'has a manifest that is said to be of two GB, and is',
    (member) => ({ ...packedAs(member, bomb()), ...sized(packedAs(member, bomb()), BOMB_BYTES - 4_000) }),
    'manifest.txt is larger than a list of the members can be',
    5,
  ),
  oddMember(
    'has a manifest of two GB',
    (member) => packedAs(member, bomb()),
    'manifest.txt cannot be read out of the ZIP: it is damaged',
    5,
  ),
  oddMember(
    'has a file of two GB',
    (member) => packedAs(member, bomb()),
    `${FIRST_NAME} cannot be read out of the ZIP: it is damaged`,
    2,
  ),
  oddMember(
    'has a file of two GB, and says so',
    (member) => ({ ...packedAs(member, bomb()), ...sized(packedAs(member, bomb()), BOMB_BYTES - 1_000) }),
    changed(FIRST_NAME),
    2,
  ),
  // what the manifest shows
  bad('lacks the manifest', without('manifest.txt'), 'manifest.txt is missing'),
  bad('lacks a proof', without(proof(ACME, 3)), `${proof(ACME, 3)} is missing: manifest.txt lists it`),
  bad('lacks a record', without(record(ODD)), `${record(ODD)} is missing: manifest.txt lists it`),
  bad('lacks a file', without(FIRST_FILE), `${FIRST_FILE} is missing: manifest.txt lists it`),
  bad(
    'has a member more',
    put('note.txt', () => 'read me'),
    'note.txt is in the ZIP, and manifest.txt does not list it',
  ),
  bad(
    'has a line less',
    put(
      record(ACME),
      line(3, () => ''),
    ),
    changed(record(ACME)),
  ),
  bad('has another salt', put(record(ACME), swap(/"salt":"..../, '"salt":"AAAA')), changed(record(ACME))),
  bad('has another actor', put(record(ACME), swap('"actor":"bob"', '"actor":"eve"')), changed(record(ACME))),
  bad(
    'has another file',
    put(FIRST_FILE, () => 'Articles of incorporatioN\n'),
    changed(FIRST_FILE),
  ),
  bad('has another report', put('report.html', swap('Acme', 'Acne')), changed('report.html')),
  bad(
    'has another verifier',
    put('verify.py', () => 'print("verified")\n'),
    changed('verify.py'),
  ),
  bad('has a manifest with a line less', put('manifest.txt', swap(/.*verify\.py\n/, '')), FORGED),
  bad('has a manifest with another date', put('manifest.txt', swap('created 2026', 'created 2025')), FORGED),
  bad(
    'has a manifest that is not signed',
    put('manifest.txt', swap(/\n\n.*/s, '\n')),
    'manifest.txt does not end with an empty line and lines that sign it',
  ),
  {
    what: 'has a manifest that another key has signed',
    pack: async () => zipped(signedAgain(await good(), HEAD, other)),
    said: `manifest.txt is not signed by the key ${ORIGIN}+${KEY_ID}`,
  },
  {
    what: 'is of another log than the key',
    pack: () => packOf(log.sources()),
    key: renderVerifier(other.verifier),
    said: `manifest.txt is not signed by the key ${ORIGIN}+${other.verifier.id}`,
  },
  ...(
    [
      ['half a key', PACK_KEY.slice(0, 30), NO_KEY],
      ['a key without a name', PACK_KEY.slice(ORIGIN.length), NO_KEY],
      ['a key that has a space in its name', `the ${PACK_KEY}`, NO_KEY],
      ['a key that has a control character in its name', `the\u0001${PACK_KEY}`, NO_KEY],
      ['a key with an id in capitals', PACK_KEY.replace(KEY_ID, KEY_ID.toUpperCase()), NO_KEY],
      ['a key that is not base64', `${PACK_KEY}!`, NO_KEY],
      ['a key without bytes', `${ORIGIN}+${KEY_ID}+`, NO_KEY],
      ['the name of another key', PACK_KEY.replace('log', 'fog'), 'the id in the key is not that of its name and key'],
      ['a key of another kind', keyOfBytes(2, ...Buffer.alloc(32)), 'the key is not a key for Ed25519'],
      [
        'a key that is no point of the curve',
        keyOfBytes(1, 2, ...Buffer.alloc(31)),
        'the key is not a key for Ed25519',
      ],
      ['a key that is a point in another spelling', keyOfBytes(1, ...SPELLED), 'the key is not a key for Ed25519'],
      ['a key that is too short', keyOfBytes(1, 2, 3), 'the key is not a key for Ed25519'],
    ] as const
  ).map(([what, key, said]): BadPack => ({
    what: `is verified with ${what}`,
    pack: () => packOf(log.sources()),
    key,
    said,
  })),
  // the manifest itself
  listing(
    'is of another form',
    swap('pack/v2', 'pack/v3'),
    'line 1 of manifest.txt does not say: audit-pack/v1 or audit-pack/v2',
  ),
  listing(
    'is said to be of the form before',
    swap('pack/v2', 'pack/v1'),
    'line 7 of manifest.txt does not name the next member',
  ),
  listing(
    'is said to be of the form before, which has no decisions',
    swap(/pack\/v2(.*)decisions 1\n/s, 'pack/v1$1'),
    `${DECISION} belongs to no event of the pack`,
  ),
  listing('has no origin', swap(/origin .*\n/, ''), 'line 2 of manifest.txt does not say: origin'),
  listing(
    'has another origin',
    swap(/origin .*/, 'origin log.example/other'),
    'manifest.txt is of another log than the key: its origin is log.example/other',
  ),
  listing('is of no time', swap(/created .*/, 'created yesterday'), 'line 3 of manifest.txt does not say: created'),
  listing(
    'does not say whether there is data',
    swap('data included', 'data maybe'),
    'line 4 of manifest.txt does not say: data',
  ),
  listing(
    'has no number of records',
    swap('records 4', 'records four'),
    'line 5 of manifest.txt does not say: records',
  ),
  listing(
    'has a number with a zero before it',
    swap('events 23', 'events 023'),
    'line 6 of manifest.txt does not say: events',
  ),
  listing(
    'has another number of records',
    swap('records 4', 'records 5'),
    'manifest.txt says 5 records and 23 events, there are others',
  ),
  listing(
    'has another number of events',
    swap('events 23', 'events 24'),
    'manifest.txt says 4 records and 24 events, there are others',
  ),
  listing('has no number of decisions', swap(/decisions 1\n/, ''), 'line 7 of manifest.txt does not say: decisions'),
  listing(
    'counts a decision that is not there',
    swap('decisions 1', 'decisions 2'),
    'manifest.txt says 2 decisions, there are others',
  ),
  listing(
    'lists members in another order',
    swap(/(.* checkpoint\.txt\n)(.*\n)/, '$2$1'),
    'line 9 of manifest.txt does not name the next member',
  ),
  listing(
    'lists a member twice',
    swap(/(.* checkpoint\.txt\n)/, '$1$1'),
    'line 9 of manifest.txt does not name the next member',
  ),
  listing(
    'lists a member without a hash',
    swap(/[0-9a-f]*( .* checkpoint\.txt\n)/, '$1'),
    'line 8 of manifest.txt does not name the next member',
  ),
  listing('lists no verifier', swap(/.* verify\.py\n/, ''), 'manifest.txt does not list verify.py'),
  listing(
    'does not list a proof',
    swap(/.*\/3\.tlog-proof\n/, ''),
    `${proof(ACME, 3)} is in the ZIP, and manifest.txt does not list it`,
  ),
  listing(
    'lists a member that is not there',
    (text) => `${text}${'0'.repeat(64)} 1 zero\n`,
    'zero is missing: manifest.txt lists it',
  ),
  listing('lists another size', swap(/ (\d+) key\.txt/, ' 1$1 key.txt'), changed('key.txt')),
  {
    what: 'has a manifest with two signatures',
    pack: async () =>
      zipped(put('manifest.txt', (text) => text + note('x\n', other).toString().split('\n\n')[1]!)(await good())),
    said: 'manifest.txt has more than one signature',
  },
  // behind the manifest
  signed('has another key', put('key.txt', swap(/.$/m, '')), 'key.txt is not the key of the log'),
  signed(
    'has another checkpoint',
    put('checkpoint.txt', swap('\n300\n', '\n299\n')),
    'the signature of checkpoint.txt does not fit: it was changed, or is forged',
  ),
  signed(
    'has a checkpoint by another key',
    put('checkpoint.txt', (text) => note(`${text.split('\n\n')[0]!}\n`, other)),
    `checkpoint.txt is not signed by the key ${ORIGIN}+${KEY_ID}`,
  ),
  signed(
    'has a checkpoint with more signatures than anybody reads',
    put('checkpoint.txt', (text) => text + text.split('\n\n')[1]!.repeat(100)),
    'checkpoint.txt has more than 100 signatures',
  ),
  signed(
    'has a checkpoint without a root',
    put('checkpoint.txt', () => note(`${ORIGIN}\n300\nnone\n`)),
    'checkpoint.txt has no size and root',
  ),
  signed(
    'has half a key',
    put('key.txt', (text) => text.slice(0, -1)),
    'key.txt is not the key of the log',
  ),
  signed(
    'has a report that ends earlier',
    put('report.html', (text) => text.slice(0, -1)),
    'report.html does not say what the sealed events say',
  ),
  signed(
    'has a checkpoint that is none',
    put('checkpoint.txt', () => note('Dear all,\n')),
    'checkpoint.txt has not exactly three lines of text',
  ),
  signed(
    'has a checkpoint of another log',
    put('checkpoint.txt', (text) => note(`log.example/other\n${text.split('\n').slice(1, 3).join('\n')}\n`)),
    'checkpoint.txt is of another log than the key: its origin is log.example/other',
  ),
  signed(
    'has a checkpoint of no size',
    put('checkpoint.txt', (text) => note(`${text.split('\n\n')[0]!.replace('\n300\n', '\n0300\n')}\n`)),
    'checkpoint.txt has no size and root',
  ),
  signed(
    'has a checkpoint of no events',
    put('checkpoint.txt', (text) => note(`${text.split('\n\n')[0]!.replace('\n300\n', '\n0\n')}\n`)),
    'checkpoint.txt is of a log without events: there is nothing to verify',
  ),
  signed(
    'has the checkpoint of another tree',
    put('checkpoint.txt', () => right(signCheckpoint({ size: 300, root: leafDataOf('x', 0) }, log.signer))),
    atLine(1, ACME, 'its proof leads to another checkpoint than checkpoint.txt'),
  ),
  signed(
    'has a line less',
    put(record(ACME), (text) => text.split('\n').toSpliced(2, 1).join('\n')),
    atLine(3, ACME, 'revision 3, expected 2'),
  ),
  signed(
    'has the last line less',
    put(record(ACME), swap(/[^\n]*\n$/, '')),
    'manifest.txt says 4 records and 23 events, there are others',
  ),
  {
    what: 'has the last line less, and the manifest counts one less',
    pack: async () =>
      zipped(signedAgain(put(record(ODD), swap(/[^\n]*\n$/, ''))(await good()), { ...HEAD, events: 22 })),
    said: `${proof(ODD, 2)} belongs to no event of the pack`,
  },
  {
    what: 'has a report of more events than there are',
    pack: async () =>
      zipped(
        signedAgain(without(proof(ODD, 2))(put(record(ODD), swap(/[^\n]*\n$/, ''))(await good())), {
          ...HEAD,
          events: 22,
        }),
      ),
    said: 'report.html does not say what the sealed events say',
  },
  signed(
    'has two lines swapped',
    put(record(ACME), (text) => text.replace(/^(.*\n)(.*\n)/, '$2$1')),
    atLine(1, ACME, 'revision 1, expected 0'),
  ),
  signed(
    'has a line twice',
    put(record(ACME), (text) => text.replace(/^(.*\n)/, '$1$1')),
    atLine(2, ACME, 'revision 0, expected 1'),
  ),
  signed(
    'has no lines',
    put(record(ODD), () => ''),
    `${record(ODD)} has no events`,
  ),
  signed(
    'ends within a line',
    put(record(ODD), (text) => text.slice(0, -1)),
    atLine(3, ODD, 'is not a whole line'),
  ),
  signed(
    'has a line that is empty',
    put(record(ODD), (text) => `\n${text}`),
    atLine(1, ODD, 'is no JSON'),
  ),
  signed(
    'has a line that is no JSON',
    put(
      record(ODD),
      line(2, (text) => `${text}}`),
    ),
    atLine(2, ODD, 'is no JSON'),
  ),
  signed(
    'has a line that is a list',
    put(
      record(ODD),
      line(2, () => '[]'),
    ),
    atLine(2, ODD, 'is no JSON object'),
  ),
  signed(
    'has a line that is not UTF-8',
    (members) => new Map([...members, [record(ODD), Buffer.from('"\xff"\n', 'latin1')]]),
    atLine(1, ODD, 'the line is not UTF-8'),
  ),
  signed(
    'has a line of lists that are nested',
    put(
      record(ODD),
      line(2, () => nested(100_000)),
    ),
    atLine(2, ODD, TOO_DEEP),
  ),
  signed(
    'has a line of objects that are nested, and is cut',
    put(
      record(ODD),
      line(2, () => '{"":'.repeat(100_000)),
    ),
    atLine(2, ODD, TOO_DEEP),
  ),
  {
    what: 'has data that is nested one level deeper than it may be',
    pack: async () => zipped(await handMade([{ index: 0, data: JSON.parse(nested(100)) as Json }])), // reason: it is JSON
    said: atLine(1, 'document-7', TOO_DEEP),
  },
  signed('has a member twice in a line', put(record(ODD), line(2, swap('{', '{"id":"x",'))), atLine(2, ODD, SPELLING)),
  signed(
    'has a member twice in the data',
    put(record(ACME), line(1, swap('"data":{', '"data":{"name":"x",'))),
    atLine(1, ACME, SPELLING),
  ),
  signed(
    'has an unknown member in a line',
    put(record(ODD), line(2, swap('{', '{"position":"1",'))),
    atLine(2, ODD, 'has the unknown member position'),
  ),
  signed(
    'has a line without an id',
    put(record(ODD), line(2, swap(/"id":"[^"]*",/, ''))),
    atLine(2, ODD, 'its id is no text'),
  ),
  signed(
    'has an index with a zero before it',
    put(record(ODD), line(2, swap('"index":"', '"index":"0'))),
    atLine(2, ODD, 'its index is no whole number'),
  ),
  signed(
    'has a line without metadata',
    put(record(ODD), line(2, swap(/"metadata":.*/, '"metadata":1}'))),
    atLine(2, ODD, 'has no metadata'),
  ),
  signed(
    'has a line with a space',
    put(record(ODD), line(2, swap('"metadata":', '"metadata": '))),
    atLine(2, ODD, SPELLING),
  ),
  signed(
    'has a number in another spelling',
    put(record(ACME), line(1, swap('1.5e+300', '1.5E+300'))),
    atLine(1, ACME, SPELLING),
  ),
  signed(
    'has a number beyond all',
    put(record(ACME), line(1, swap('1.5e+300', '1.5e+999'))),
    atLine(1, ACME, 'has a number that is too large'),
  ),
  signed(
    'has other data',
    put(record(ACME), line(1, swap('"Acme"', '"Acne"'))),
    atLine(1, ACME, 'dataHash does not match data'),
  ),
  signed(
    'has another salt',
    put(record(ACME), line(1, swap(/"salt":"..../, '"salt":"AAAA'))),
    atLine(1, ACME, 'dataHash does not match data'),
  ),
  signed(
    'has a salt with spare bits',
    put(record(ACME), line(1, swap(/(?<="salt":".{21})./, '_'))),
    atLine(1, ACME, 'dataHash does not match data'),
  ),
  signed(
    'has a salt with a padding',
    put(record(ACME), line(1, swap(/(?<="salt":".{22})/, '=='))),
    atLine(1, ACME, 'dataHash does not match data'),
  ),
  signed(
    'has a salt that is no text',
    put(record(ACME), line(1, swap(/"salt":"[^"]*"/, '"salt":1'))),
    atLine(1, ACME, 'dataHash does not match data'),
  ),
  signed(
    'has data without its salt',
    put(record(ACME), line(1, swap(/"salt":"[^"]*",/, ''))),
    atLine(1, ACME, 'data without its salt cannot be verified'),
  ),
  signed(
    'has a salt without its data',
    put(record(ACME), line(1, swap(/"data":\{[^}]*\},/, ''))),
    atLine(1, ACME, 'dataHash does not match data'),
  ),
  signed(
    'has another actor',
    put(record(ACME), line(2, swap('"actor":"bob"', '"actor":"eve"'))),
    atLine(2, ACME, 'hash does not match the event'),
  ),
  signed(
    'has another type',
    put(record(ACME), line(2, swap('Updated', 'Deleted'))),
    atLine(2, ACME, 'hash does not match the event'),
  ),
  signed(
    'has another hash before an event',
    put(record(ACME), line(2, swap(/"previousHash":"./, '"previousHash":"x'))),
    atLine(2, ACME, 'previousHash is not the hash of the event before it'),
  ),
  signed(
    'has an event of another record',
    put(record(ACME), line(2, swap(ACME, ODD))),
    atLine(2, ACME, `is of another record: ${ODD}`),
  ),
  signed(
    'has a record under the name of another one',
    (members) => new Map([...members, [record(ACME), members.get(record(ODD))!]]),
    atLine(1, ACME, `is of another record: ${ODD}`),
  ),
  signed('has no proof of an event', without(proof(ACME, 3)), atLine(4, ACME, 'has no proof in the pack')),
  signed(
    'has another index',
    put(record(ACME), line(2, swap(/"index":"\d*"/, '"index":"77"'))),
    atLine(2, ACME, 'its proof is of another place in the log'),
  ),
  signed(
    'has another index, in the proof as well',
    (members) =>
      put(
        proof(ACME, 1),
        swap(/index \d*/, 'index 77'),
      )(put(record(ACME), line(2, swap(/"index":"\d*"/, '"index":"77"')))(members)),
    atLine(2, ACME, NOT_AT_PLACE),
  ),
  signed(
    'has an index beyond the log, in the proof as well',
    (members) =>
      put(
        proof(ACME, 1),
        swap(/index \d*/, 'index 300'),
      )(put(record(ACME), line(2, swap(/"index":"\d*"/, '"index":"300"')))(members)),
    atLine(2, ACME, NOT_AT_PLACE),
  ),
  signed(
    'has the proof of another event',
    (members) => new Map([...members, [proof(ACME, 1), members.get(proof(ACME, 2))!]]),
    atLine(2, ACME, 'its proof is of another place in the log'),
  ),
  signed(
    'has the proof of another event with the index of this one',
    (members) =>
      put(proof(ACME, 1), () =>
        members
          .get(proof(ACME, 2))!
          .toString()
          .replace(/index \d*/, /index \d*/.exec(members.get(proof(ACME, 1))!.toString())![0]),
      )(members),
    atLine(2, ACME, NOT_AT_PLACE),
  ),
  signed(
    'has a proof with a hash less',
    put(proof(ACME, 1), swap(/(index \d*\n).*\n/, '$1')),
    atLine(2, ACME, NOT_AT_PLACE),
  ),
  signed(
    'has a proof with a hash more',
    put(proof(ACME, 1), swap(/(index \d*\n.*\n)/, `$1${leafDataOf('x', 0).toString('base64')}\n`)),
    atLine(2, ACME, NOT_AT_PLACE),
  ),
  signed(
    'has a proof with two hashes swapped',
    put(proof(ACME, 1), swap(/(index \d*\n)(.*\n)(.*\n)/, '$1$3$2')),
    atLine(2, ACME, NOT_AT_PLACE),
  ),
  signed(
    'has a proof with a hash in another spelling',
    put(proof(ACME, 1), (text) =>
      text.replace(/(?<=index \d*\n.{42})(.)=/, (_, last: string) => `${BASE64[BASE64.indexOf(last) + 1] ?? ''}=`),
    ),
    atLine(2, ACME, 'its proof is no tlog-proof without extra data'),
  ),
  signed(
    'has a proof with a short hash',
    put(proof(ACME, 1), swap(/(index \d*\n).*\n/, '$1AAAA\n')),
    atLine(2, ACME, 'its proof is no tlog-proof without extra data'),
  ),
  signed(
    'has a proof with extra data',
    put(proof(ACME, 1), swap('\nindex', '\nextra AAAA\nindex')),
    atLine(2, ACME, 'its proof is no tlog-proof without extra data'),
  ),
  signed(
    'has a proof of another format',
    put(proof(ACME, 1), swap('@v1', '@v2')),
    atLine(2, ACME, 'its proof is no tlog-proof without extra data'),
  ),
  signed(
    'has a proof that is empty',
    put(proof(ACME, 1), () => ''),
    atLine(2, ACME, 'its proof is no tlog-proof without extra data'),
  ),
  signed(
    'has a proof that is not UTF-8',
    (members) => new Map([...members, [proof(ACME, 1), Buffer.of(0xff)]]),
    atLine(2, ACME, 'its proof is not UTF-8'),
  ),
  signed(
    'has a proof with another checkpoint',
    put(proof(ACME, 1), swap(/\n300\n/, '\n299\n')),
    atLine(2, ACME, 'its proof leads to another checkpoint than checkpoint.txt'),
  ),
  signed(
    'has a proof with more behind its checkpoint',
    put(proof(ACME, 1), (text) => `${text}x`),
    atLine(2, ACME, 'its proof leads to another checkpoint than checkpoint.txt'),
  ),
  signed(
    'has a proof of no event',
    put(proof(ODD, 9), () => 'x'),
    `${proof(ODD, 9)} belongs to no event of the pack`,
  ),
  signed(
    'has a member that is no part of a pack',
    put('note.txt', () => 'read me'),
    'note.txt belongs to no event of the pack',
  ),
  signed(
    'has a file that no event names',
    put(`files/${'a'.repeat(64)}`, () => 'x'),
    `files/${'a'.repeat(64)} belongs to no event of the pack`,
  ),
  signed('lacks a file', without(SECOND_FILE), `${SECOND_FILE} is missing: an event names that file`),
  signed(
    'has two files swapped',
    (members) =>
      new Map([...members, [FIRST_FILE, members.get(SECOND_FILE)!], [SECOND_FILE, members.get(FIRST_FILE)!]]),
    `${FIRST_FILE} is not the file that the event names`,
  ),
  signed(
    'has another file of the same size',
    put(FIRST_FILE, swap('n\n', 'N\n')),
    `${FIRST_FILE} is not the file that the event names`,
  ),
  signed(
    'has another report',
    put('report.html', swap('Acme', 'Acne')),
    'report.html does not say what the sealed events say',
  ),
  signed(
    'has a report with a space more',
    put('report.html', (text) => `${text} `),
    'report.html does not say what the sealed events say',
  ),
  signed(
    'has a report of another time',
    put('report.html', swap('2026-02-03', '2026-02-04')),
    'report.html does not say what the sealed events say',
  ),
  {
    what: 'is said to be without data and has some',
    pack: async () => zipped(signedAgain(await good(), { ...HEAD, withData: false })),
    said: atLine(1, ACME, 'has data or its salt, and manifest.txt says that data is withheld'),
  },
  {
    what: 'is without data, but for a salt',
    pack: async () => {
      const members = await membersOf(await packOf(log.sources({ withData: false })));
      const salted = put(record(ACME), line(1, swap('"schemaVersion"', '"salt":"AAAA","schemaVersion"')))(members);
      return zipped(signedAgain(salted, { ...HEAD, withData: false }));
    },
    said: atLine(1, ACME, 'has data or its salt, and manifest.txt says that data is withheld'),
  },
  {
    what: 'has events that stand in the log in another order',
    pack: async () =>
      zipped(
        await handMade([
          { index: 2, data: {} },
          { index: 0, data: {} },
        ]),
      ),
    said: atLine(2, 'document-7', 'stands in the log before the event that it follows'),
  },
  {
    what: 'has an event at a place beyond the log, to which its proof leads all the same',
    pack: async () => {
      // of three events, the path of 5 turns as that of 1 does
      const members = await handMade([{ index: 1, data: {} }]);
      const moved = put(
        record('document-7'),
        swap('"index":"1"', '"index":"5"'),
      )(put(proof('document-7', 0), swap('index 1', 'index 5'))(members));
      return zipped(signedAgain(moved, { ...HEAD, records: 1, events: 1 }));
    },
    said: atLine(1, 'document-7', NOT_AT_PLACE),
  },
  {
    what: 'has an event that names its file without a hash',
    pack: async () => zipped(await handMade([{ index: 0, data: fileData({ sha256: 'none' }) }])),
    said: atLine(1, 'document-7', 'names a file without SHA-256 and size'),
  },
  {
    what: 'has an event that names its file by a number',
    pack: async () => zipped(await handMade([{ index: 0, data: fileData({ sha256: 7 }) }])),
    said: atLine(1, 'document-7', 'names a file without SHA-256 and size'),
  },
  {
    what: 'has members in another order in an object of a list',
    pack: async () => {
      const members = await handMade([{ index: 0, data: { list: [{ a: 1, b: 2 }] } }]);
      const swapped = put(record('document-7'), swap('{"a":1,"b":2}', '{"b":2,"a":1}'))(members);
      return zipped(signedAgain(swapped, { ...HEAD, records: 1, events: 1 }));
    },
    said: atLine(1, 'document-7', SPELLING),
  },
  {
    what: 'lacks data that is null, but has its salt',
    pack: async () => {
      const members = await handMade([{ index: 0, data: null }]);
      const cut = put(record('document-7'), swap('"data":null,', ''))(members);
      return zipped(signedAgain(cut, { ...HEAD, records: 1, events: 1 }));
    },
    said: atLine(1, 'document-7', 'dataHash does not match data'),
  },
  {
    what: 'has an event that names its file without a size',
    pack: async () => zipped(await handMade([{ index: 0, data: fileData({ size: '7' }) }])),
    said: atLine(1, 'document-7', 'names a file without SHA-256 and size'),
  },
  {
    what: 'has a file of another size than the event says',
    pack: async () => zipped(await handMade([{ index: 0, data: fileData({ size: FILE.length + 1 }) }], [FILE])),
    said: `files/${digestOf(FILE)} is not the file that the event names`,
  },
];
