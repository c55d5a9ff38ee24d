import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { PackSources } from '../../src/audit-pack/pack-sources.js';
import { writePack } from '../../src/audit-pack/write-pack.js';
import { writeWholeFile } from '../../src/cli/audit/whole-file.js';
import { canonicalJson, type Json, type JsonObject } from '../../src/event-sourcing/canonical-json.js';
import { chainStart, extendChain } from '../../src/event-sourcing/hash-chain.js';
import { eventLeaf } from '../../src/seal/event-leaf.js';
import { leafHash } from '../../src/seal/hash.js';
import { openNote } from '../../src/seal/note.js';
import { signerOf } from '../../src/seal/note-key.js';
import { verifyTlogProof } from '../../src/seal/tlog-proof.js';
import { oneKey, otherKey } from '../support/event-keys.js';
import { makePackedLog, membersOf, type PackedLog, packOf } from '../support/audit-pack.js';
import { right } from '../support/sealed-tree.js';

const digestOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** What nothing reads. */
const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });

const refusal = async (sources: PackSources): Promise<string> => {
  const outcome = await writePack(sources, nowhere());
  if (E.isRight(outcome)) throw new Error('a pack was made');
  return outcome.left.message;
};

describe('an audit pack', () => {
  let log: PackedLog;
  let members: ReadonlyMap<string, Buffer>;
  let withheld: ReadonlyMap<string, Buffer>;

  before(async () => {
    log = makePackedLog();
    members = await membersOf(await packOf(log.sources()));
    withheld = await membersOf(await packOf(log.sources({ withData: false })));
  });

  const textOf = (name: string, of = members): string => of.get(name)?.toString() ?? `no member ${name}`;

  const linesOf = (name: string, of = members): ReadonlyArray<string> => textOf(name, of).split('\n').slice(0, -1);

  for (const [which, of] of [
    ['with data', () => members],
    ['without data', () => withheld],
  ] as const)
    it(`${which} has a signed manifest of every other member, in the order of their names`, () => {
      const names = [...of().keys()];
      expect(names).to.deep.equal(names.toSorted());
      const { text } = right(openNote(of().get('manifest.txt')!, [log.signer.verifier]));
      const lines = names
        .filter((name) => name !== 'manifest.txt')
        .map((name) => `${digestOf(of().get(name)!)} ${of().get(name)!.length} ${name}\n`);
      expect(text).to.equal(
        'audit-pack/v2\norigin log.example.com/audit\ncreated 2026-02-03T04:05:06.789Z\n' +
          `data ${which === 'with data' ? 'included' : 'withheld'}\nrecords 4\nevents 23\ndecisions ${which === 'with data' ? 1 : 0}\n${lines.join('')}`,
      );
    });

  it('holds all events of each record, each in its one spelling, with its place', () => {
    for (const stream of log.streams) {
      const own = log.events.filter((event) => event.stream === stream);
      const lines = linesOf(`records/${stream}.ndjson`);
      expect(lines).to.have.length(own.length);
      for (const [at, event] of own.entries()) {
        const { id, type, revision } = event;
        const parsed = JSON.parse(lines[at]!) as JsonObject;
        const metadata = JSON.parse(event.metadata) as Json;
        const data = JSON.parse(event.data) as Json;
        const index = String(log.events.indexOf(event));
        expect(parsed).to.deep.equal({ index, stream, revision: `${revision}`, id, type, data, metadata });
        const [opening, end] = lines[at]!.split(',"data":');
        expect(Object.keys(parsed)).to.deep.equal(['index', 'stream', 'revision', 'id', 'type', 'data', 'metadata']);
        expect(`${opening},"data":${end}`).to.include(canonicalJson(data)).and.to.include(canonicalJson(metadata));
      }
    }
  });

  it('proves each event by the leaf of its hash, to the one checkpoint', () => {
    expect(textOf('checkpoint.txt')).to.equal(log.checkpoint);
    for (const event of log.events.filter(({ stream }) => log.streams.includes(stream))) {
      const proof = members.get(`proofs/${event.stream}/${event.revision}.tlog-proof`)!;
      const { hash } = JSON.parse(event.metadata) as { readonly hash: string };
      const place = right(verifyTlogProof(leafHash(eventLeaf(event, hash)), proof, [log.signer.verifier]));
      expect(place.index).to.equal(log.events.indexOf(event));
      expect(proof.toString().endsWith(`\n\n${log.checkpoint}`)).to.equal(true);
    }
  });

  it('holds the key, the verifiers, and each file that an event names, replaced ones too', () => {
    expect(textOf('key.txt')).to.equal(`${log.key}\n`);
    expect(textOf('verify.py')).to.equal('# verify.py\n');
    const files = [...members].filter(([name]) => name.startsWith('files/'));
    expect(files.map(([, content]) => content)).to.have.deep.members([...log.files.values()]);
    for (const [name, content] of files) expect(name).to.equal(`files/${digestOf(content)}`);
  });

  it('without data has neither data nor salts nor files, and the same chains', () => {
    expect([...withheld.keys()].filter((name) => name.startsWith('files/'))).to.deep.equal([]);
    for (const stream of log.streams) {
      expect(textOf(`records/${stream}.ndjson`, withheld))
        .not.to.include('"data"')
        .and.not.to.include('"salt"');
      let end = chainStart;
      for (const line of linesOf(`records/${stream}.ndjson`, withheld)) {
        const { metadata, revision, ...event } = JSON.parse(line) as Record<string, string>;
        const stored = { ...event, revision: BigInt(revision!), data: '{}', metadata: JSON.stringify(metadata) };
        // reason: the members of a line are those of a stored event
        end = right(extendChain(end, stored as unknown as PackedLog['events'][number]));
      }
    }
    for (const page of [textOf('report.html', withheld), textOf('manifest.txt', withheld)])
      expect(page).not.to.include('Acme').and.not.to.include('asked by');
  });

  it('is the same for the same sources, and does not depend on the order in which records are named', async () => {
    const again = await packOf(makePackedLog().sources({ of: log.streams.toReversed() }));
    expect(await membersOf(again)).to.deep.equal(members);
  });

  it('is not made of nothing, of one record twice, or of a record with an odd id', async () => {
    const { sources, streams } = log;
    expect(await refusal(sources({ of: [] }))).to.equal('a pack has at least one record');
    expect(await refusal(sources({ of: [streams[0]!, streams[0]!] }))).to.equal('a record is named twice');
    expect(await refusal(sources({ of: ['business-none'] }))).to.equal('business-none has no events');
    expect(await refusal(sources({ of: ['business-../x'] }))).to.match(/^business-\.\.\/x has other characters/);
  });

  it('is not made under a checkpoint of another key', async () => {
    const other = right(signerOf('log.example.com/audit', Buffer.alloc(32, 1)));
    expect(await refusal(log.sources({ signer: other }))).to.equal(
      'the checkpoint is not one of the signing key: no known key has signed the note',
    );
  });

  it('is not made of events that are not what was sealed', async () => {
    const [stream] = log.streams;
    const [record] = log.sources({ of: [stream!] }).records;
    const changed = (change: (page: ReadonlyArray<never>) => ReadonlyArray<never>): PackSources => ({
      ...log.sources(),
      records: [
        {
          stream: stream!,
          events: async function* () {
            for await (const page of record!.events()) yield change(page as ReadonlyArray<never>);
          },
        },
      ],
    });
    const moved = changed((page) =>
      page.map((indexed: { readonly index: number }) => ({ ...indexed, index: 7 }) as never),
    );
    expect(await refusal(moved)).to.equal(
      `${stream}, revision 0, is not what was sealed at place 7: "ops log verify" says what is wrong`,
    );
    const beyond = changed((page) => page.map((indexed: object) => ({ ...indexed, index: 300 }) as never));
    expect(await refusal(beyond)).to.equal('place 300 is beyond the 300 events of the checkpoint');
    const dropped = changed((page) => page.slice(1));
    expect(await refusal(dropped)).to.equal(`${stream}, revision 1, breaks its chain: revision 1, expected 0`);
  });

  it('is not made of events that nobody with the key has sealed', async () => {
    const [stream] = log.streams;
    const place = `${stream!}, revision 0, `;
    expect(await refusal(log.sources({ eventKeys: [otherKey] }))).to.equal(
      `${place}has a mac of an unknown key: it was made up, or a key is missing in EVENT_KEY`,
    );
    expect(await refusal(log.sources({ eventKeys: [{ ...otherKey, id: oneKey.id }] }))).to.equal(
      `${place}has a mac that does not fit: it was changed after it was sealed, or made up`,
    );
    expect(E.isRight(await writePack(log.sources({ eventKeys: [] }), nowhere()))).to.equal(true);
  });

  it('asks of each event, by its place, whether it must have a mac', async () => {
    const bare = makePackedLog({ withoutMac: 122 });
    const asked: Array<number> = [];
    const isMacRequired = (index: number): boolean => {
      asked.push(index);
      return index >= 123;
    };
    expect(E.isRight(await writePack(bare.sources({ isMacRequired }), nowhere()))).to.equal(true);
    // decisions of operators, too
    expect(asked).to.have.length(26).and.to.include(294);
    expect(await refusal(bare.sources({ isMacRequired: (index) => index >= 122 }))).to.equal(
      `${log.streams[2]!}, revision 1, has no mac, and must have one: it was appended without the key, or its mac was cut out`,
    );
  });

  it('has the decisions of operators that concern its records, each with the proof of its place', async () => {
    const name = 'operations-businesses/1';
    const decided = [...members.keys()].filter((member) => member.startsWith('decisions/'));
    expect(decided).to.deep.equal([`decisions/${name}.ndjson`]);
    const [line] = linesOf(`decisions/${name}.ndjson`);
    const decision = JSON.parse(line!) as JsonObject;
    expect([decision['index'], decision['type']]).to.deep.equal(['294', 'ProjectionEventSkipped']);
    const { hash } = JSON.parse(log.events[294]!.metadata) as { readonly hash: string };
    const proof = members.get(`proofs/${name}.tlog-proof`)!;
    const place = right(verifyTlogProof(leafHash(Buffer.from(hash, 'hex')), proof, [log.signer.verifier]));
    expect(place.index).to.equal(294);
    expect([...withheld.keys()].filter((member) => member.includes('operations-'))).to.deep.equal([]);
    // of the other record alone, the other one
    const other = await membersOf(await packOf(log.sources({ of: [log.events[2]!.stream] })));
    expect([...other.keys()].filter((member) => member.startsWith('decisions/'))).to.deep.equal([
      'decisions/operations-businesses/0.ndjson',
    ]);
  });

  it('is not made of a decision that was changed, moved or made up', async () => {
    const event = log.events[294]!;
    const place = 'operations-businesses, revision 1, ';
    const withDecision = (index: number, changed: Partial<typeof event>): Promise<string> =>
      refusal(log.sources({ decisions: [{ index, event: { ...event, ...changed } }] }));
    const changed = await withDecision(294, { data: event.data.replace('odd', 'add') });
    expect(changed).to.equal(`${place}breaks its chain: dataHash does not match data`);
    expect(await withDecision(293, {})).to.equal(
      `${place}is not what was sealed at place 293: "ops log verify" says what is wrong`,
    );
    const bare = makePackedLog({ withoutMac: 294 });
    expect(await refusal(bare.sources())).to.equal(
      `${place}has no mac, and must have one: it was appended without the key, or its mac was cut out`,
    );
  });

  it('is not made when tiles are missing', async () => {
    const readTiles: PackSources['readTiles'] = (tiles) => Promise.resolve(E.right(tiles.map(() => undefined)));
    expect(await refusal(log.sources({ readTiles }))).to.match(/^a tile of the tree is missing/);
  });

  it('is not made when a file is missing, longer, shorter or another one', async () => {
    const [key, content] = [...log.files][1]!;
    const name = `files/${digestOf(content)}`;
    const withFile = (changed: Buffer | undefined): PackSources =>
      log.sources({
        openFile: (file) => {
          const found = file.key === key ? changed : log.files.get(file.key);
          return Promise.resolve(
            found === undefined
              ? E.left('there is no such object')
              : E.right(Readable.from(found, { objectMode: false })),
          );
        },
      });
    expect(await refusal(withFile(undefined))).to.equal(
      `${name} (${key} in the storage) cannot be read: there is no such object`,
    );
    const { length } = content;
    expect(await refusal(withFile(Buffer.concat([content, content])))).to.equal(
      `${name} has more than the ${length} bytes that it should have`,
    );
    expect(await refusal(withFile(content.subarray(1)))).to.equal(
      `${name} has ${length - 1} bytes, and should have ${length}`,
    );
    const other = Buffer.from(content).fill('x', 5, 6);
    expect(await refusal(withFile(other))).to.equal(
      `${name} has the SHA-256 ${digestOf(other)}, and should have ${digestOf(content)}`,
    );
  });

  it('is not made where two events name one file with two sizes', async () => {
    const [note, articles] = [log.streams[1]!, log.streams[3]!];
    const other = makePackedLog({ hasOtherSize: true });
    const [, amended] = [...log.files.values()];
    expect(await refusal(other.sources())).to.equal(
      `${articles}, revision 3, says another size of the file ${digestOf(amended!)} than an event before it`,
    );
    expect(E.isRight(await writePack(other.sources({ of: [note] }), nowhere()))).to.equal(true);
  });

  it('ends with what its output fails with, and closes the file that it was reading', async () => {
    const pieces = async function* () {
      for (;;) {
        yield Buffer.from('x');
        await turn();
      }
    };
    const file = Readable.from(pieces(), { objectMode: false, highWaterMark: 1 });
    const [, key] = [...log.files.keys()];
    const openFile: PackSources['openFile'] = (named) =>
      Promise.resolve(E.right(named.key === key ? file : Readable.from(log.files.get(named.key)!)));
    // it takes everything until then, and the last of it is never written
    const output = new Writable({
      highWaterMark: 1024 * 1024,
      write: (_chunk, _encoding, done) => {
        const fail = async (): Promise<void> => {
          while (!file.readableDidRead) await turn();
          done(new Error('no space left on device'));
        };
        void fail();
      },
    });
    const failure = await writePack(log.sources({ openFile }), output).catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('message', 'no space left on device');
    for (let turns = 0; turns < 100 && !file.destroyed; turns += 1) await turn();
    expect(file.destroyed).to.equal(true);
  });

  it('ends with what its output fails with', async () => {
    const full = new Writable({
      write: (_chunk, _encoding, done) => done(new Error('no space left on device')),
    });
    const failure = await writePack(log.sources(), full).catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('message', 'no space left on device');
  });

  it('ends when it is told to', async () => {
    const stopping = new AbortController();
    const packing = { signal: stopping.signal, onVerified: () => stopping.abort(new Error('stopped')) };
    const failure = await writePack(log.sources(), new PassThrough(), packing).catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('message', 'stopped');
  });

  for (const [how, goesOn] of [
    ['slowly', (ending: AbortSignal) => turn(!ending.aborted)],
    ['no further', (ending: AbortSignal) => once(ending, 'abort').then(() => false)],
  ] as const)
    it(`ends in the middle of a file that is read ${how}, and leaves no part of the pack behind`, async () => {
      const directory = await mkdtemp(path.join(tmpdir(), 'write-pack-'));
      const stopping = new AbortController();
      const waiting = new AbortController();
      const pieces = async function* () {
        do yield Buffer.from('x');
        while (await goesOn(waiting.signal));
      };
      const file = Readable.from(pieces(), { objectMode: false, highWaterMark: 1 });
      const sources = log.sources({ openFile: () => Promise.resolve(E.right(file)) });
      try {
        const writing = writeWholeFile(path.join(directory, 'pack.zip'), false, (output) =>
          writePack(sources, output, { signal: stopping.signal }),
        ).catch((error: unknown) => error);
        while (!file.readableDidRead) await turn();
        expect(await readdir(directory)).to.have.length(1);
        stopping.abort(new Error('stopped'));
        expect(await writing)
          .to.be.an('error')
          .with.property('message', 'stopped');
        expect([await readdir(directory), file.destroyed]).to.deep.equal([[], true]);
      } finally {
        waiting.abort();
        file.destroy();
        await rm(directory, { recursive: true });
      }
    });

  it('closes a file that the storage opens only after it was told to end', async () => {
    const stopping = new AbortController();
    const file = new Readable({ read: () => undefined });
    const openFile = async () => {
      stopping.abort(new Error('stopped'));
      for (let turns = 0; turns < 20; turns += 1) await turn();
      return E.right(file);
    };
    const packing = { signal: stopping.signal };
    const failure = await writePack(log.sources({ openFile }), nowhere(), packing).catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('message', 'stopped');
    if (!file.closed) await new Promise((resolve) => file.once('close', resolve));
    expect(file.destroyed).to.equal(true);
  });
});
