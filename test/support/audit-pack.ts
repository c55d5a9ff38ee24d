import { createHash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { either as E } from 'fp-ts';
import yauzl from 'yauzl';
import type { PackSources } from '../../src/audit-pack/pack-sources.js';
import type { IndexedEvent } from '../../src/audit-pack/packed-event.js';
import { writePack } from '../../src/audit-pack/write-pack.js';
import { canonicalJson, type Json, type JsonObject } from '../../src/event-sourcing/canonical-json.js';
import { GENESIS_HASH, seal } from '../../src/event-sourcing/envelope.js';
import type { StoredEvent, StreamName } from '../../src/event-sourcing/recorded-event.js';
import { signCheckpoint } from '../../src/seal/checkpoint.js';
import { leafHash } from '../../src/seal/hash.js';
import { renderVerifier, type Signer, signerOf } from '../../src/seal/note-key.js';
import { oneKey } from './event-keys.js';
import { right, treeOver } from './sealed-tree.js';

const digestOf = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

const uuid = (text: string): string =>
  digestOf(text).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-5$3-8$4-$5');

/** A small log that is sealed, and all that packs of its records are made of. It is the same in every run. */
export type PackedLog = {
  /** In log order, decisions of operators among them: the n-th is leaf n of the tree. */
  readonly events: ReadonlyArray<StoredEvent>;
  readonly signer: Signer;
  /** The verifier key, as text. */
  readonly key: string;
  /** The signed note over all events. */
  readonly checkpoint: string;
  /** What is in the storage, by key. */
  readonly files: Map<string, Buffer>;
  /** Two businesses, one of which has been deleted, and two documents, one of which had two files. */
  readonly streams: ReadonlyArray<StreamName>;
  readonly sources: (over?: Partial<PackSources> & { readonly of?: ReadonlyArray<StreamName> }) => PackSources;
};

const ORIGIN = 'log.example.com/audit';
const START = Date.parse('2026-01-02T03:04:05.678Z');

/** Events of several streams that follow each other, in their envelopes. */
const makeWriter = (withoutMac: number | undefined) => {
  const events: Array<StoredEvent> = [];
  const ends = new Map<StreamName, { readonly revision: bigint; readonly hash: string }>();
  const write = (stream: StreamName, type: string, data: Json, actor = 'alice', schemaVersion = 1): void => {
    const { revision, hash: previousHash } = ends.get(stream) ?? { revision: 0n, hash: GENESIS_HASH };
    const number = events.length;
    const at = new Date(START + number * 61_001).toISOString();
    const id = uuid(`event ${number}`);
    const [correlationId, causationId] = [`request-${number}`, uuid(`command ${number}`)];
    const place = { id, stream, revision, type, data, schemaVersion, at, actor };
    const salt = Buffer.from(digestOf(`salt ${number}`), 'hex')
      .subarray(0, 16)
      .toString('base64url');
    const fact = { ...place, correlationId, causationId, request: `request ${number}`, previousHash };
    const { hash, ...event } = seal(fact, salt, number === withoutMac ? undefined : oneKey);
    ends.set(stream, { revision: revision + 1n, hash });
    events.push({ ...event, stream, revision, position: BigInt(number) });
  };
  return { events, write };
};

const STREAMS = {
  acme: `business-${uuid('acme')}`,
  odd: `business-${uuid('odd')}`,
  other: `business-${uuid('other')}`,
  articles: `document-${uuid('articles')}`,
  note: `document-${uuid('note')}`,
} as const;

const DECISIONS = 'operations-businesses';

const ODD_NAME = 'Ünïcode & <b>"Söhne\'s"</b> \u202eevil\u202c 😀 \u0000\u007f\u2028 \\u202e';

const documentData = (name: string) => ({
  name,
  description: null,
  tags: ['legal', 'draft'],
  type: 'Business',
  entityType: 'Business',
  entity: STREAMS.acme.slice('business-'.length),
});

const hashOf = ({ metadata }: StoredEvent): Buffer =>
  // reason: written by seal()
  Buffer.from((JSON.parse(metadata) as { readonly hash: string }).hash, 'hex');

/** As an event is after its data and its salt have been erased. */
const withoutData = (event: StoredEvent): StoredEvent => {
  // reason: written by seal()
  const { salt: _salt, ...metadata } = JSON.parse(event.metadata) as JsonObject;
  return { ...event, data: '{}', metadata: canonicalJson(metadata) };
};

type PackedLogOptions = {
  /** Index of the event that has no mac. Default: all have one. */
  readonly withoutMac?: number;
  /** Index of the event whose data was erased. Default: the last one. */
  readonly erased?: number;
  /** Whether the last event but one names a file of the events before it, with another size. */
  readonly hasOtherSize?: boolean;
};

/** A log of 300 events, so that its tree has more than one tile. */
export const makePackedLog = ({ withoutMac, hasOtherSize = false, ...of }: PackedLogOptions = {}): PackedLog => {
  const { events, write } = makeWriter(withoutMac);
  const files = new Map<string, Buffer>();
  const store = (key: string, content: Buffer, originalName: string) => {
    files.set(key, content);
    return { key, size: content.length, sha256: digestOf(content), mimeType: 'text/plain', originalName };
  };
  const articles = store('documents/1', Buffer.from('Articles of incorporation\n'), 'articles.txt');
  const amended = store('documents/2', Buffer.from('Articles, amended\n'.repeat(10_000)), 'ärticles.txt');

  write(STREAMS.acme, 'BusinessCreated', { name: 'Acme', netWorth: 1.5e300, phone: '+1 555 0100' });
  write(STREAMS.articles, 'DocumentCreated', { ...documentData('Articles'), file: articles });
  for (let number = 0; number < 120; number += 1)
    write(STREAMS.other, number === 0 ? 'BusinessCreated' : 'BusinessUpdated', { name: `Other ${number}` });
  write(
    STREAMS.acme,
    'BusinessUpdated',
    { $reason: 'asked by <phone>', changes: { phone: null, revenue: 0.1 } },
    'bob',
  );
  write(STREAMS.odd, 'BusinessCreated', { name: ODD_NAME, dba: null }, ODD_NAME);
  write(STREAMS.acme, 'BusinessOwnerAdded', { user: 'carol', title: 'Chair', equity: 51 });
  write(STREAMS.articles, 'DocumentUpdated', { changes: { name: 'Articles, amended' }, file: amended });
  write(STREAMS.note, 'DocumentCreated', { ...documentData('Note'), file: null });
  for (let number = 0; number < 12; number += 1)
    write(STREAMS.acme, 'BusinessUpdated', { changes: { revenue: number * 1e6 } });
  for (let number = events.length; number < 293; number += 1)
    write(STREAMS.other, 'BusinessUpdated', { changes: { phone: `+1 555 ${number}` } });
  const skip = (stream: StreamName, reason: string) => {
    const original = {
      id: uuid('before'),
      actor: ODD_NAME,
      at: new Date(START).toISOString(),
      hash: digestOf('before'),
    };
    const skipped = { projection: 'businesses', stream, revision: 1, eventId: uuid('skipped'), reason, original };
    write(DECISIONS, 'ProjectionEventSkipped', skipped, 'operator', 2);
  };
  skip(STREAMS.other, 'about a record that is in no pack');
  skip(STREAMS.odd, 'its name is <odd>');
  write('operations-seal', 'SealingSwitched', { isOn: true }, 'operator', 2);
  write(STREAMS.odd, 'BusinessUpdated', { $reason: ODD_NAME, changes: { name: 'Plain' } });
  write(STREAMS.odd, 'BusinessDeleted', {});
  write(STREAMS.articles, 'DocumentUpdated', { changes: { tags: [] } }, 'dave');
  if (hasOtherSize)
    write(STREAMS.articles, 'DocumentUpdated', { changes: {}, file: { ...amended, size: amended.size - 1 } });
  write(STREAMS.note, 'DocumentUpdated', { changes: { name: 'A note of which the data was erased' } });

  const { erased = events.length - 1 } = of;
  events[erased] = withoutData(events[erased]!);

  const tree = treeOver(events.map((event) => leafHash(hashOf(event))));
  const signer = right(signerOf(ORIGIN, createHash('sha256').update('the key of test logs').digest()));
  const checkpoint = right(signCheckpoint({ size: tree.edge.size, root: tree.root }, signer));
  const streams = [STREAMS.odd, STREAMS.note, STREAMS.acme, STREAMS.articles];

  const pagesOf = (stream: StreamName): ReadonlyArray<ReadonlyArray<IndexedEvent>> => {
    const own = events.flatMap((event, index) => (event.stream === stream ? [{ index, event }] : []));
    return own.length === 0 ? [] : [own.slice(0, 2), own.slice(2)];
  };
  const recordOf = (stream: StreamName) => ({
    stream,
    // eslint-disable-next-line @typescript-eslint/require-await -- a log is asynchronous, memory is not
    events: async function* () {
      yield* pagesOf(stream);
    },
  });

  return {
    events,
    signer,
    key: renderVerifier(signer.verifier),
    checkpoint,
    files,
    streams,
    sources: ({ of = streams, ...over } = {}) => ({
      records: of.map(recordOf),
      decisions: events.flatMap((event, index) => (event.stream.startsWith('operations-') ? [{ index, event }] : [])),
      checkpoint,
      eventKeys: [oneKey],
      isMacRequired: () => true,
      readTiles: tree.read,
      signer,
      openFile: ({ key }) => {
        const content = files.get(key);
        return Promise.resolve(
          content === undefined
            ? E.left('there is no such object')
            : E.right(Readable.from(content, { objectMode: false })),
        );
      },
      createdAt: new Date('2026-02-03T04:05:06.789Z'),
      withData: true,
      verifiers: { python: '# verify.py\n', html: '<!doctype html>\n' },
      ...over,
    }),
  };
};

/** The bytes of the pack of these sources. */
export const packOf = async (sources: PackSources): Promise<Buffer> => {
  const output = new PassThrough();
  const [bytes, packed] = await Promise.all([buffer(output).catch(() => Buffer.alloc(0)), writePack(sources, output)]);
  right(packed);
  return bytes;
};

/** The members of a ZIP in the order of its directory, with their content. */
export const membersOf = async (zip: Buffer): Promise<ReadonlyMap<string, Buffer>> => {
  const opened = await yauzl.fromBufferPromise(zip);
  const members = new Map<string, Buffer>();
  for await (const entry of opened.eachEntry())
    members.set(entry.fileName, await buffer(await opened.openReadStreamPromise(entry)));
  return members;
};
