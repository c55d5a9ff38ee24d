import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { entityIdOf, type StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { leafHash } from '../../../src/seal/hash.js';
import { parseVerifier, renderSigner, signerOf } from '../../../src/seal/note-key.js';
import { verifyTlogProof } from '../../../src/seal/tlog-proof.js';
import { recordSkip } from '../../../projections/engine/parked/record-skip.js';
import { makeApi } from '../../support/api.js';
import { FORM_TYPE, formOf } from '../../support/multipart-form.js';
import { type ServiceProcess, startService, tokenFor } from '../../support/service-process.js';
import { openNote } from '../../../src/seal/note.js';
import { membersOf } from '../../support/audit-pack.js';
import { appendChained, businessStream, interleaved, makeChains } from '../../support/chained-events.js';
import { untilSigned } from '../../support/until-signed.js';
import { needs } from '../../support/needs.js';
import { mountSmallDisk, MOUNTING } from '../../support/small-disk.js';
import { diskStorage } from '../../support/disk-storage.js';
import { aDocumentCreated, aDocumentUpdated } from '../../support/document-events.js';
import { givenStream } from '../../support/given-stream.js';
import { runOperator } from '../../support/operator.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { projectLog } from '../../support/projected-log.js';
import { startS3Server } from '../../support/s3-server.js';
import { s3Storage } from '../../support/s3-storage.js';
import { LIFT_GUARD } from '../../support/tamper.js';
import { runSql } from '../../tampering/places.js';
import { sealLog } from '../../support/seal-log.js';
import { right } from '../../support/sealed-tree.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const DOCUMENT: StreamName = 'document-05c8515f-9a84-4c18-8093-32d7133f27ea';
const UNKNOWN = '05c8515f-9a84-4c18-8093-32d7133f27eb';
const named = (stream: StreamName): string => stream.replace('-', '/');

const signer = right(signerOf('log.example.com', createHash('sha256').update('a key').digest()));

const fileOf = (key: string, content: Buffer) => ({
  key,
  size: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
  mimeType: 'text/plain',
  originalName: 'a.txt',
});

describe('the command that packs records for auditors', function () {
  this.timeout(300_000);
  let directory: string;
  let out: string;
  let connectionString: string;
  let env: Record<string, string>;

  const first = Buffer.from('the first version\n');
  const second = randomBytes(3_000_000);

  before(async function () {
    this.timeout(startingPostgres);
    connectionString = await freshDatabase();
    directory = await mkdtemp(path.join(tmpdir(), 'ops-audit-'));
    env = {
      DATABASE_URL: connectionString,
      DATA_DIR: path.join(directory, 'data'),
      CHECKPOINT_KEY: renderSigner(signer),
    };
    const storage = await diskStorage(path.join(directory, 'data', 'files'));
    await storage.put('documents/1/1', Readable.from([first]));
    await storage.put('documents/1/2', Readable.from([second]));
    await projectLog(connectionString, async (store: EventStore) => {
      const chains = makeChains();
      await appendChained(store, chains, ...interleaved(3, 4));
      await givenStream(
        store,
        DOCUMENT,
        [aDocumentCreated({ name: 'Articles', file: fileOf('documents/1/1', first) })],
        [aDocumentUpdated({ file: fileOf('documents/1/2', second) })],
        [aDocumentUpdated({ file: fileOf('documents/1/1', first) })],
      );
      for (const stream of [DOCUMENT, `document-${UNKNOWN}`] as const)
        await recordSkip(
          systemRuntime,
          store,
          'documents',
          { stream, revision: 1n, eventId: stream },
          { actor: 'operator', reason: 'it cannot be read', at: new Date('2026-01-02T03:04:05.678Z') },
          undefined,
        );
      return right(await store.head())!;
    });
  });

  after(() => rm(directory, { recursive: true }));

  beforeEach(() => {
    out = path.join(directory, 'pack.zip');
  });

  const ops = (...args: ReadonlyArray<string>) => runOperator(['audit', 'pack', ...args], { env });

  /** What is beside the pack, which must not be anything. */
  const left = async (): Promise<ReadonlyArray<string>> =>
    (await readdir(directory)).filter((name) => name !== 'data').toSorted();

  it('says that there is no checkpoint yet, and one that is too small', async () => {
    const none = await ops(named(businessStream(1)), '--out', out);
    expect(none).to.deep.equal({
      code: 1,
      stdout: '',
      stderr:
        'no pack was made: there is no signed checkpoint of log.example.com: ' +
        'a running service writes and signs the rest, so start it, or wait\n',
    });
    await sealLog(connectionString, signer);
    await projectLog(connectionString, async (store) => {
      await givenStream(store, `document-${UNKNOWN}`, [aDocumentCreated({ file: null })]);
      return right(await store.head())!;
    });
    const small = await ops(`document/${UNKNOWN}`, '--out', out);
    expect(small.stderr).to.equal(
      'no pack was made: the newest signed checkpoint covers 17 events, and 18 are needed: ' +
        'a running service writes and signs the rest, so start it, or wait\n',
    );
    expect([small.code, await left()]).to.deep.equal([1, []]);
  });

  it('writes them with their files, as docs/audit-pack.md says', async () => {
    const checkpoint = await sealLog(connectionString, signer);
    const packed = await ops(named(DOCUMENT), named(businessStream(1)), '--out', out);
    const zip = await readFile(out);
    expect(packed).to.deep.equal({
      code: 0,
      stdout: `${out}: 2 records, 7 events, 1 decision, 2 files, ${zip.length} bytes; proven by the checkpoint of log.example.com over 18 events\n`,
      stderr: '',
    });
    const members = await membersOf(zip);
    expect([...members.keys()].filter((name) => !name.startsWith('proofs/'))).to.deep.equal(
      [
        'checkpoint.txt',
        'decisions/operations-documents/0.ndjson',
        ...[first, second].map((content) => `files/${fileOf('', content).sha256}`),
        'key.txt',
        'manifest.txt',
        `records/${businessStream(1)}.ndjson`,
        `records/${DOCUMENT}.ndjson`,
        'report.html',
        'verify.html',
        'verify.py',
      ].toSorted(),
    );
    expect(members.get('checkpoint.txt')!.toString()).to.equal(checkpoint.note);
    expect(members.get(`files/${fileOf('', second).sha256}`)!.equals(second)).to.equal(true);
    const { text } = right(openNote(members.get('manifest.txt')!, [signer.verifier]));
    expect(text).to.match(/\ndata included\nrecords 2\nevents 7\ndecisions 1\n/);
    const lines = members
      .get(`records/${businessStream(1)}.ndjson`)!
      .toString()
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { index: string }).index)).to.deep.equal(['1', '4', '7', '10']);
    const decision = JSON.parse(members.get('decisions/operations-documents/0.ndjson')!.toString()) as {
      readonly index: string;
      readonly data: object;
    }; // reason: as docs/audit-pack.md says
    expect([decision.index, decision.data]).to.deep.equal([
      '15',
      { eventId: DOCUMENT, projection: 'documents', reason: 'it cannot be read', revision: 1, stream: DOCUMENT },
    ]);
    expect(members.get('verify.py')!.equals(await readFile('verifiers/verify.py'))).to.equal(true);
    expect(await left()).to.deep.equal(['pack.zip']);
  });

  it('writes the same where the files are in S3, and says that a file is missing there', async () => {
    const server = await startS3Server();
    try {
      const storage = await s3Storage(server.settings);
      await storage.put('documents/1/1', Readable.from([first]));
      await storage.put('documents/1/2', Readable.from([second]));
      const fromS3 = path.join(directory, 'from-s3.zip');
      const nowhere = path.join(directory, 'nothing');
      const pack = () =>
        runOperator(['audit', 'pack', named(DOCUMENT), '--out', fromS3, '--force'], {
          env: { ...env, ...server.env, DATA_DIR: nowhere },
        });
      const packed = await pack();
      expect([packed.code, packed.stderr]).to.deep.equal([0, '']);
      expect((await ops(named(DOCUMENT), '--out', out, '--force')).code).to.equal(0);
      // but for the time at which each was made
      const contents = async (file: string): Promise<ReadonlyArray<readonly [string, string]>> =>
        [...(await membersOf(await readFile(file)))]
          .filter(([name]) => !['manifest.txt', 'report.html'].includes(name))
          .map(([name, content]) => [name, content.toString('base64')] as const);
      expect(await contents(fromS3)).to.deep.equal(await contents(out));
      await storage.remove('documents/1/2');
      storage.close();
      const missing = await pack();
      expect([missing.code, missing.stderr.startsWith('no pack was made: ')], missing.stderr).to.deep.equal([1, true]);
      expect(missing.stderr).to.include('documents/1/2');
      await Promise.all([rm(fromS3), rm(out), rm(nowhere, { recursive: true, force: true })]);
    } finally {
      await server.close();
    }
  });

  it('does not replace a file unless it is told to, and leaves the data out when it is told to', async () => {
    await writeFile(out, 'something else');
    const refused = await ops(named(DOCUMENT), '--out', out);
    expect([refused.code, refused.stderr]).to.deep.equal([1, `${out} exists already: --force replaces it\n`]);
    expect(await readFile(out, 'utf8')).to.equal('something else');
    const forced = await ops(named(DOCUMENT), '--without-data', '--out', out, '--force', '--json');
    const zip = await readFile(out);
    expect(JSON.parse(forced.stdout)).to.deep.equal({
      ...{ out, records: 1, events: 3, decisions: 0, files: 0, bytes: zip.length },
      checkpoint: { origin: 'log.example.com', size: 18 },
    });
    const members = await membersOf(zip);
    expect(members.get(`records/${DOCUMENT}.ndjson`)!.toString())
      .not.to.include('"data"')
      .and.not.to.include('"salt"');
    expect(members.get('report.html')!.toString()).not.to.include('Articles');
    expect(await left()).to.deep.equal(['pack.zip']);
    await rm(out);
  });

  it('says that the disk is full, and leaves nothing behind', async function () {
    const disk = mountSmallDisk(2);
    needs(this, disk !== undefined, MOUNTING);
    try {
      const there = path.join(disk!.directory, 'pack.zip');
      const full = await ops(named(DOCUMENT), '--out', there);
      expect([full.code, full.stderr]).to.deep.equal([
        1,
        `no pack was made: ${there} was not written: ENOSPC: no space left on device, write\n`,
      ]);
      expect(await readdir(disk!.directory)).to.deep.equal([]);
    } finally {
      disk!.unmount();
    }
  });

  it('says what is wrong, and leaves nothing behind', async () => {
    const unknown = await ops(`business/${UNKNOWN}`, '--out', out);
    expect([unknown.code, unknown.stderr]).to.deep.equal([
      1,
      `no pack was made: there is no business ${UNKNOWN}, and never was\n`,
    ]);
    const storage = await diskStorage(path.join(directory, 'data', 'files'));
    await storage.remove('documents/1/2');
    const missing = await ops(named(DOCUMENT), '--out', out);
    expect([missing.code, missing.stderr]).to.deep.equal([
      1,
      `no pack was made: files/${fileOf('', second).sha256} (documents/1/2 in the storage) cannot be read: there is no such object\n`,
    ]);
    const nowhere = await ops(named(businessStream(1)), '--out', path.join(directory, 'none', 'pack.zip'));
    expect(nowhere.code).to.equal(1);
    expect(nowhere.stderr).to.match(
      /^no pack was made: [^\n]*pack\.zip was not written: ENOENT: no such file or directory, open [^\n]*\n$/,
    );
    const { CHECKPOINT_KEY, ...keyless } = env;
    const noKey = await runOperator(['audit', 'pack', named(DOCUMENT), '--out', out], { env: keyless });
    expect(noKey.stderr).to.equal(
      'no pack was made: there is no key to sign the pack with: set CHECKPOINT_KEY_FILE to that of the service\n',
    );
    const unsealed = await runOperator(['audit', 'pack', named(DOCUMENT), '--out', out], {
      env: { ...keyless, SEALING: 'false' },
    });
    expect(unsealed.stderr).to.match(/^no pack was made: the log is not sealed \(SEALING=false\)/);
    const other = renderSigner(right(signerOf('log.example.com', Buffer.alloc(32, 1))));
    const foreign = await runOperator(['audit', 'pack', named(businessStream(1)), '--out', out], {
      env: { ...env, CHECKPOINT_KEY: other },
    });
    expect(foreign.stderr).to.equal(
      'no pack was made: the checkpoint is not one of the signing key: no known key has signed the note\n',
    );
    expect([CHECKPOINT_KEY, await left()]).to.deep.equal([renderSigner(signer), []]);
  });

  it('ends with 2 when a record is not named as it should be', async () => {
    const wrong = [
      ['--out', out],
      [named(DOCUMENT)],
      [`person/${UNKNOWN}`, '--out', out],
      [DOCUMENT, '--out', out],
      [`document/${UNKNOWN}/file`, '--out', out],
      [named(DOCUMENT), named(DOCUMENT), '--out', out],
    ];
    const ended = await Promise.all(wrong.map((args) => ops(...args)));
    expect(ended.map(({ code, stdout }) => [code, stdout])).to.deep.equal(wrong.map(() => [2, '']));
  });

  // the log and the ledger are not whole after this
  for (const [what, record, statements, said] of [
    [
      'a decision of operators was removed',
      DOCUMENT,
      [`delete from event_log.event where stream = 'operations-documents' and revision = 0`],
      'the log does not have the decision of operators operations-documents, revision 0, which the ledger has ' +
        '("ops log verify" says what else is missing)',
    ],
    [
      'the last event of a record was removed',
      DOCUMENT,
      [`delete from event_log.event where stream = '${DOCUMENT}' and revision = 2`],
      `the end of ${DOCUMENT} was cut off: the log has revisions 0 to 1 of it, and the ledger has revision 2 as well ` +
        '("ops log verify" says what else is missing)',
    ],
    [
      'all but its first event were removed',
      DOCUMENT,
      [`delete from event_log.event where stream = '${DOCUMENT}' and revision > 0`],
      `the end of ${DOCUMENT} was cut off: the log has revision 0 of it, and the ledger has revisions 1 to 2 as well ` +
        '("ops log verify" says what else is missing)',
    ],
    [
      'a whole record was removed',
      DOCUMENT,
      [`delete from event_log.event where stream = '${DOCUMENT}'`],
      `the end of ${DOCUMENT} was cut off: the log has no event of it, and the ledger has revisions 0 to 2 as well ` +
        '("ops log verify" says what else is missing)',
    ],
    [
      'the ledger does not have the removed events, either',
      businessStream(1),
      [`delete from read_model.ledger where entity = '${entityIdOf(DOCUMENT)}'`],
      'the ledger has 15 of the 18 events of the signed checkpoint, so that nobody can tell whether a record is whole ' +
        '("ops log verify" says which are missing)',
    ],
  ] as const)
    it(`says so when ${what}`, async () => {
      await runSql(connectionString, LIFT_GUARD, ...statements);
      const packed = await ops(named(record), '--out', out);
      expect([packed.code, packed.stdout, packed.stderr]).to.deep.equal([1, '', `no pack was made: ${said}\n`]);
      expect(await left()).to.deep.equal([]);
    });
});

describe('the command that packs records, beside a service with its own Postgres', function () {
  this.timeout(300_000);
  let directory: string;
  let service: ServiceProcess | undefined;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'ops-audit-'));
  });

  afterEach(async () => {
    service?.kill('SIGTERM');
    await service?.exited;
    await rm(directory, { recursive: true });
  });

  it('packs what was acknowledged just before, proven under the key that "log key" prints', async () => {
    const dataDir = path.join(directory, 'data');
    service = await startService({ dataDir });
    const token = await tokenFor('admin', 'alice');
    const api = makeApi(service.address, token);
    const { _id: business } = await api.json<{ readonly _id: string }>('POST', '/business', { name: 'Acme' });
    const content = Buffer.from('Articles of incorporation\n');
    const body = formOf({ name: 'name', content: 'Articles' }, { name: 'file', content, filename: 'a.txt' });
    const headers = { authorization: `Bearer ${token}`, 'content-type': FORM_TYPE };
    const uploaded = await fetch(`${service.address}/api/v1/document`, { method: 'POST', headers, body });
    const { _id: document } = (await uploaded.json()) as { readonly _id: string }; // reason: what a create answers
    await fetch(`${service.address}/api/v1/business/${business}`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json', 'change-reason': 'asked by phone' },
      body: JSON.stringify({ phone: '+1 555 0100' }),
    });

    const env = { DATA_DIR: dataDir };
    const out = path.join(directory, 'pack.zip');
    const pack = ['audit', 'pack', `business/${business}`, `document/${document}`, '--out', out];
    await untilSigned(service, 3);
    const packed = await runOperator(pack, { env });
    expect([packed.code, packed.stderr]).to.deep.equal([0, '']);
    expect(packed.stdout).to.match(
      /: 2 records, 3 events, 0 decisions, 1 file, \d+ bytes; proven by the checkpoint of localhost\/\w+ over 3 events\n$/,
    );

    const other = await runOperator([...pack, '--force'], {
      env: { ...env, EVENT_KEY: 'another event key of at least 32 bytes' },
    });
    expect([other.code, other.stderr]).to.deep.equal([
      1,
      `no pack was made: business-${business}, revision 0, has a mac of an unknown key: it was made up, or a key is ` +
        'missing in EVENT_KEY\n',
    ]);

    const { stdout: key } = await runOperator(['log', 'key'], { env });
    const members = await membersOf(await readFile(out));
    const verifier = right(parseVerifier(key.trimEnd()));
    expect(openNote(members.get('manifest.txt')!, [verifier])._tag).to.equal('Right');
    expect(members.get('key.txt')!.toString()).to.equal(key);
    expect([...members].filter(([name]) => name.startsWith('files/')).map(([, file]) => file)).to.deep.equal([content]);
    const report = members.get('report.html')!.toString();
    expect(report).to.include('<dt>why</dt><dd>asked by phone</dd>').and.to.include('<dt>who</dt><dd>alice</dd>');
    for (const [name, line] of [...members]
      .filter(([name]) => name.startsWith('records/'))
      .flatMap(([name, lines]) =>
        lines
          .toString()
          .trimEnd()
          .split('\n')
          .map((text) => [name, text] as const),
      )) {
      // reason: as docs/audit-pack.md says
      const { index, revision, metadata } = JSON.parse(line) as Record<'index' | 'revision', string> & {
        readonly metadata: { readonly hash: string };
      };
      const proof = members.get(`${name.replace(/^records(.*)\.ndjson$/, 'proofs$1')}/${revision}.tlog-proof`)!;
      const place = right(verifyTlogProof(leafHash(Buffer.from(metadata.hash, 'hex')), proof, [verifier]));
      expect([String(place.index), place.checkpoint.size]).to.deep.equal([index, 3]);
    }
  });
});
