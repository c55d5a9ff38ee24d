import { readdir, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import pg from 'pg';
import { canonicalJson, type JsonObject } from '../../src/event-sourcing/canonical-json.js';
import { KeyTree } from '../../src/event-sourcing/encryption/key-tree.js';
import { type StoredTree, wrapTree } from '../../src/event-sourcing/encryption/wrapped-tree.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { leafHash } from '../../src/seal/hash.js';
import { parseVerifier } from '../../src/seal/note-key.js';
import { verifyTlogProof } from '../../src/seal/tlog-proof.js';
import { startComposed } from '../support/composed-service.js';
import { diskStorage } from '../support/disk-storage.js';
import { needs } from '../support/needs.js';
import { outputOfOperator, runOperator } from '../support/operator.js';
import { hasPython } from '../support/python.js';
import { right } from '../support/sealed-tree.js';
import { runVerifyPy } from '../support/verify-py.js';
import { AT, databaseOf, type ErasedService, MARKER, openErasedService } from './erased-service.js';
import { runSql } from './places.js';

const DAY_MS = 86_400_000;
const KEYS = 'erasure.key_tree';
/** Of an encrypted event: before its salt, and before its data. */
const [NONCE_BYTES, HEAD_BYTES] = [12, 28] as const;

const GONE = 'the data of the event and its salt were taken out of the log, and no erasure is recorded';
const LAST_COPY =
  'the data of the event was taken out of the log, and the ledger still has it: keep the ledger, it may be the last copy';
const OTHER_THAN_LEDGER = 'the log has another event here than the ledger';
const REMOVED = 'the ledger has an event here that the log does not have';
const READABLE = [
  'not-erased business-one 1: recorded as erased by revision 3, and still readable',
  'not-erased business-two 1: recorded as erased by revision 2, and still readable',
  'not-erased document-document 0: recorded as erased by revision 1, and still readable',
];
const IN_LEDGER = ['business-one 1', 'business-two 1', 'document-document 0'].map(
  (event) => `not-erased ${event}: the event is erased, and the ledger still has it`,
);

type Line = Readonly<Partial<Record<'kind' | 'stream' | 'revision' | 'key' | 'reason', string | number | null>>>;
/** How a command ended, and a line for each thing that it named. */
type Found = readonly [code: unknown, ...faults: ReadonlyArray<string>];

/** What happens to be in a text, by names that are always the same. */
const plainly = (text: string, ids: Partial<ErasedService['ids']>): string =>
  Object.entries(ids)
    .reduce((named, [name, id]) => named.replaceAll(id, name), text)
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');

describe('tampering with what was erased', function () {
  this.timeout(300_000);
  let service: ErasedService;

  before(async () => {
    service = await openErasedService();
  });
  after(async () => {
    await service.discard();
  });

  const run = async (...args: ReadonlyArray<string>): Promise<Found> => {
    const { env, ids } = service;
    const { code, stdout, stderr } = await runOperator([...args, '--json'], { env });
    const named = stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Line) // reason: docs/ops-json.md
      .filter(({ kind }) => kind !== undefined)
      .map(({ kind, stream, revision, key, reason }) => {
        const place = [stream ?? key, revision].filter((part) => part !== undefined && part !== null);
        return [[kind, ...place].join(' '), ...(reason === undefined ? [] : [String(reason)])].join(': ');
      });
    return [code, ...[...named, ...(stderr === '' ? [] : [stderr.trim()])].map((text) => plainly(text, ids))];
  };
  const verifyLog = (): Promise<Found> => run('log', 'verify');
  /** Which checkpoints there are is a matter of chance. */
  const verifyEvents = async (): Promise<Found> => {
    const [code, ...faults] = await verifyLog();
    return [code, ...faults.filter((fault) => !fault.startsWith('checkpoint-'))];
  };

  const startedOrNot = ({ env } = service): Promise<string> =>
    startComposed({ dataDir: env['DATA_DIR'] ?? '', env }).then(
      async ({ stop }) => {
        await stop();
        return 'it starts';
      },
      (error: unknown) => String(error),
    );

  const idAt = (at: number): string => service.history[at]?.id ?? '';
  const removal = (at: number): string => `delete from event_log.event where id = '${idAt(at)}'`;
  const change = (at: number, texts: Readonly<Record<string, string>>): string => {
    const values = Object.entries(texts).map(([column, text]) => `${column} = ${pg.escapeLiteral(text)}`);
    return `update event_log.event set ${values.join(', ')} where id = '${idAt(at)}'`;
  };
  const hiddenAt = (at: number): Buffer => {
    // reason: it is encrypted
    const { $encrypted } = JSON.parse(service.history[at]?.data ?? '') as { readonly $encrypted: string };
    return Buffer.from($encrypted, 'base64url');
  };
  const hide = (at: number, bytes: Buffer): string =>
    change(at, { data: canonicalJson({ $encrypted: bytes.toString('base64url') }) });
  const exportedAt = (at: number) =>
    // reason: docs/verify.md
    JSON.parse(service.taken.exported[at] ?? '') as {
      readonly data: JsonObject;
      readonly metadata: JsonObject & { readonly hash: string };
    };

  it('finds nothing where nobody did', async () => {
    for (const what of ['log', 'files', 'projections']) expect(await run(what, 'verify'), what).to.deep.equal([0]);
  });

  describe('in the log', () => {
    const CASES: ReadonlyArray<
      readonly [what: string, change: () => ReadonlyArray<string>, faults: ReadonlyArray<string>]
    > = [
      [
        'the event that says so is removed from the end of its stream',
        () => [removal(AT.documentErased)],
        [
          'erasure-unfinished operations-erasure 1: an erasure was begun at TIME by dpo, and has not ended: run `ops erase run` again',
          `event-removed document-document 1: ${REMOVED}`,
        ],
      ],
      [
        'so is the decision to erase',
        () => [removal(AT.documentErased), removal(AT.documentBegun)],
        [
          `data-missing document-document 0: ${GONE}`,
          `event-removed operations-erasure 1: ${REMOVED}`,
          `event-removed document-document 1: ${REMOVED}`,
        ],
      ],
      [
        'a byte of encrypted data is changed',
        () => {
          const bytes = hiddenAt(AT.one);
          const at = HEAD_BYTES + '{"name":"'.length;
          bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
          return [hide(AT.one, bytes)];
        },
        [
          'chain-broken business-one 0: dataHash does not match data',
          `event-changed business-one 0: ${OTHER_THAN_LEDGER}, in body`,
        ],
      ],
      [
        'a byte of an encrypted salt is changed',
        () => {
          const bytes = hiddenAt(AT.one);
          bytes.writeUInt8(bytes.readUInt8(NONCE_BYTES) ^ 1, NONCE_BYTES);
          return [hide(AT.one, bytes)];
        },
        ['chain-broken business-one 0: dataHash does not match data'],
      ],
      [
        'the end of encrypted data is cut off',
        () => [hide(AT.one, hiddenAt(AT.one).subarray(0, -4))],
        [
          'chain-broken business-one 0: data is not JSON',
          `event-changed business-one 0: ${OTHER_THAN_LEDGER}, in fields, body`,
        ],
      ],
      [
        'nothing is left of encrypted data, not even the salt',
        () => [hide(AT.one, hiddenAt(AT.one).subarray(0, HEAD_BYTES - 1))],
        [`data-missing business-one 0: ${GONE}`, `event-changed business-one 0: ${LAST_COPY}`],
      ],
      [
        'the encrypted data of two events is swapped',
        () => [hide(AT.one, hiddenAt(AT.two)), hide(AT.two, hiddenAt(AT.one))],
        [
          ...['one', 'two'].map((name) => `chain-broken business-${name} 0: data is not JSON`),
          ...['one', 'two'].map((name) => `event-changed business-${name} 0: ${OTHER_THAN_LEDGER}, in fields, body`),
        ],
      ],
      ...(
        [
          ['an event about an owner', AT.ownerOfOne, 0],
          ['an event of a document', AT.document, 2],
        ] as const
      ).map(
        ([what, at, readable]) =>
          [
            `data and salt of ${what} are put back`,
            () => {
              const { data, metadata } = exportedAt(at);
              return [change(at, { data: canonicalJson(data), metadata: canonicalJson(metadata) })];
            },
            READABLE.slice(readable, readable + 1),
          ] as const,
      ),
      [
        'erased data is put back without its salt',
        () => [change(AT.ownerOfOne, { data: canonicalJson(exportedAt(AT.ownerOfOne).data) })],
        [
          'chain-broken business-one 1: data without its salt cannot be verified',
          'not-erased business-one 1: the event is erased, and the ledger still has it',
        ],
      ],
    ];
    for (const [what, statements, faults] of CASES)
      it(`is found when ${what}`, async () => {
        expect(await service.inLog(statements(), verifyEvents)).to.deep.equal([1, ...faults]);
      });

    it('is nothing to anybody where the encrypted data of an erased event becomes other bytes', async () => {
      expect(await service.inLog([hide(AT.ownerOfOne, hiddenAt(AT.two))], verifyLog)).to.deep.equal([0]);
    });
  });

  describe('with the keys', () => {
    const before = (columns: string): string =>
      `update ${KEYS} k set ${columns.replaceAll(/\w+/g, '$& = b.$&')} from before.key_tree b`;

    it('is found when they are put back as they were', async () => {
      expect(await service.inTable(KEYS, before('version, wrapped'), verifyLog)).to.deep.equal([1, ...READABLE]);
    });

    it('destroys them again by the same commands', async () => {
      const eraseAgain = async (subject: string): Promise<unknown> =>
        (await run('erase', 'run', subject, '--basis', 'ticket 1', '--user', 'dpo', '--yes'))[0];
      const found = await service.inTable(KEYS, before('version, wrapped'), async () => [
        await eraseAgain(`document/${service.ids.document}`),
        await eraseAgain('owner/john'),
        await verifyLog(),
      ]);
      expect(found).to.deep.equal([0, 0, [0]]);
    });

    const refusals: ReadonlyArray<readonly [what: string, change: string, said: string]> = [
      [
        'they are put back as if they were the newest',
        before('wrapped'),
        'no line of ERASURE_KEY opens the keys of this log',
      ],
      [
        'they are removed',
        `delete from ${KEYS}`,
        'the keys of this log are missing in the database of the read models: without them every record looks erased. ' +
          'Put back that database, or its schema "erasure", from a backup',
      ],
      [
        'they are replaced by those of another log',
        `update ${KEYS} set tree = 'another'`,
        'the keys in the database of the read models are those of another log',
      ],
    ];
    for (const [what, statement, said] of refusals)
      it(`neither a service nor a command starts when ${what}`, async () => {
        const found = await service.inTable(KEYS, statement, async () => [await verifyLog(), await startedOrNot()]);
        expect(found).to.deep.equal([[1, said], `Error: ${said}`]);
      });

    it('is found when somebody who has ERASURE_KEY puts fresh ones in their place', async () => {
      const { rows } = await runSql(databaseOf(service.env), `select * from ${KEYS}`);
      const [now] = rows as ReadonlyArray<StoredTree>; // reason: the columns are those
      const { random } = systemRuntime;
      const fresh = wrapTree(KeyTree.grow(random), service.env['ERASURE_KEY'] ?? '', now!, random).toString('hex');
      const found = await service.inTable(KEYS, `update ${KEYS} set wrapped = '\\x${fresh}'`, async () => [
        (await verifyLog()).filter((fault) => !String(fault).startsWith('event-changed')),
        await run('files', 'verify'),
      ]);
      const broken = ['business-one', 'business-two', 'document-document'];
      expect(found).to.deep.equal([
        [1, ...broken.map((stream) => `chain-broken ${stream} 0: data is not JSON`), ...READABLE],
        [1, 'undecodable 0: not JSON'],
      ]);
    });
  });

  it('a file that is put back is named, and is a fault when it is a day old', async () => {
    const files = path.join(service.env['DATA_DIR'] ?? '', 'files');
    const { key } = exportedAt(AT.document).data['file'] as { readonly key: string }; // reason: what the event says
    await (await diskStorage(files)).put(key, Readable.from([Buffer.from(MARKER)]));
    const named = `unnamed ${key.replace(service.ids.document, 'document')}`;
    expect(await run('files', 'verify')).to.deep.equal([0, named]);
    const objects = path.join(files, 'objects');
    const name = (await readdir(objects, { recursive: true })).find((each) => each.endsWith(key.slice(-36))) ?? '';
    const before = new Date(Date.now() - 2 * DAY_MS);
    await utimes(path.join(objects, name), before, before);
    expect(await run('files', 'verify')).to.deep.equal([1, named]);
    await rm(path.join(objects, name));
  });

  describe('in the rows', () => {
    const putBack = async <A>(table: keyof ErasedService['tables'], look: () => Promise<A>): Promise<A> => {
      const name = service.tables[table];
      const statement = table.startsWith('ledger')
        ? `update read_model.${name} l set body = b.body, fields = b.fields, refs = b.refs from before.${name} b where b.idx = l.idx`
        : `delete from read_model.${name}; insert into read_model.${name} table before.${name}`;
      return service.inTable(`read_model.${name}`, statement, look);
    };
    const both = async () => [await verifyLog(), await run('projections', 'verify')];
    const eraseAgain = async (): Promise<unknown> => {
      const args = ['erase', 'run', `document/${service.ids.document}`, '--basis', 'ticket 1', '--yes'];
      const { code, stdout } = await runOperator(args, { env: service.env });
      return [code, plainly(stdout, service.ids)];
    };
    const leftIn = (table: keyof ErasedService['tables']) => [
      1,
      `left all the same:\n  rows: read_model."${service.tables[table]}": it still has a row of document-document as it was\n`,
    ];

    it('is found in those of records', async () => {
      expect(await putBack('businesses', both)).to.deep.equal([
        [0],
        [1, 'differs business-one', 'differs business-two'],
      ]);
      const found = await putBack('documents', async () => [...(await both()), await eraseAgain()]);
      expect(found).to.deep.equal([[0], [1, 'differs document-document'], leftIn('documents')]);
    });

    it('is found in the ledger', async () => {
      expect(await putBack('ledger', both)).to.deep.equal([
        [1, ...IN_LEDGER],
        [1, ...IN_LEDGER],
      ]);
    });

    it('is found in the ledger of before by the same command as erased it', async () => {
      const found = await putBack('ledger before', async () => [...(await both()), await eraseAgain()]);
      expect(found).to.deep.equal([[0], [0], leftIn('ledger before')]);
    });
  });

  describe('what was taken home before', () => {
    it('a proof shows that the event was there', () => {
      const { proof, key } = service.taken;
      const leaf = leafHash(Buffer.from(exportedAt(AT.ownerOfOne).metadata.hash, 'hex'));
      expect(right(verifyTlogProof(leaf, proof, [right(parseVerifier(key))])).index).to.equal(AT.ownerOfOne);
    });

    it('a checkpoint fits the log, and what is exported later', async function () {
      const file = path.join(service.env['DATA_DIR'] ?? '', 'checkpoint');
      await writeFile(file, service.taken.checkpoint);
      expect(await run('log', 'verify', '--against', file)).to.deep.equal([0]);
      needs(this, hasPython(), 'python3, in which the verifier is written');
      const exported = path.join(service.env['DATA_DIR'] ?? '', 'later.ndjson');
      await writeFile(exported, await outputOfOperator(['log', 'export'], service.env));
      const { code, out } = await runVerifyPy(['export', exported, '--checkpoint', file, '--key', service.taken.key]);
      expect([code, out.split('\n').slice(0, 3)]).to.deep.equal([
        0,
        [
          '13 events in 5 streams: every chain is intact.',
          '3 events have their data withheld: nothing was verified of it.',
          'The first 7 events of the tree are all that the checkpoint seals; the key signed it.',
        ],
      ]);
    });

    it('a pack has all of its data', async function () {
      needs(this, hasPython(), 'python3, in which the verifier is written');
      const { code, out } = await runVerifyPy(['pack', service.taken.pack, '--key', service.taken.key]);
      expect([code, plainly(out, {}).split('\n').slice(0, 5)]).to.deep.equal([
        0,
        [
          '4 events of 2 records: every chain is intact from revision 0 on.',
          'Each event is at its place among the 7 events of the log log.example.com/erased.',
          'The key signed that log, and the list of all that is in this pack, made at TIME.',
          'All data was there and is what was sealed.',
          '1 file: each is what the event that names it says.',
        ],
      ]);
    });
  });

  it('a process that was frozen meanwhile appends nothing of it, and answers nothing of it when it wakes', () => {
    const { woken, shown, history, ids } = service;
    expect(woken.map(({ status }) => status)).to.deep.equal([404, 404, 200, 404, 404]);
    expect(woken.map(({ text }) => text).join('') + shown).not.to.include(MARKER);
    expect(history.map(({ stream, type }) => plainly(`${stream} ${type}`, ids)).slice(AT.oneErased)).to.deep.equal([
      'business-one BusinessErased',
      'business-two BusinessErased',
      'operations-erasure ErasureBegun',
      'document-document DocumentErased',
      'business-two BusinessUpdated',
    ]);
  });
});
