import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import pg from 'pg';
import { parseSigner, renderSigner, signerOf } from '../../src/seal/note-key.js';
import type { StreamName } from '../../src/event-sourcing/recorded-event.js';
import { developmentSecret } from '../../src/infrastructure/disk/development-secret.js';
import { append, created, renamed, sealed } from '../projections/appending.js';
import { appendChained, businessStream, interleaved, makeChains } from '../support/chained-events.js';
import { diskStorage } from '../support/disk-storage.js';
import { aDocumentCreated, aStoredFile } from '../support/document-events.js';
import { givenStream } from '../support/given-stream.js';
import { makeApi } from '../support/api.js';
import { startComposed } from '../support/composed-service.js';
import { tokenFor } from '../support/service-process.js';
import { runOperator } from '../support/operator.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { projectLog } from '../support/projected-log.js';
import { sealLog } from '../support/seal-log.js';
import { right } from '../support/sealed-tree.js';
import { LIFT_GUARD } from '../support/tamper.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const idAt = (index: number): string => `0198f000-0000-7000-8000-00000000000${index}`;
const streamAt = (index: number): StreamName => `business-${idAt(index)}`;

const SECTION = /^## `(.+?) --json`$([\s\S]*?)(?=^## |(?![\s\S]))/gm;
const EXAMPLE = /```json\n([\s\S]*?)```/g;

/** The examples of each command. */
const promised = (page: string): ReadonlyMap<string, ReadonlyArray<unknown>> =>
  new Map(
    [...page.matchAll(SECTION)].map(([, command = '', text = '']) => [
      command,
      [...text.matchAll(EXAMPLE)].map(([, example = '']): unknown => JSON.parse(example)),
    ]),
  );

/** Names and kinds of members; null stands for what does not apply. What an event holds is its own affair. */
const shapeOf = (value: unknown, name = ''): unknown => {
  if (value === null || name === 'data' || name === 'metadata') return 'any';
  if (Array.isArray(value)) return ['list', ...new Set(value.map((item) => shapeOf(item)))];
  if (typeof value !== 'object') return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shapeOf(member, key)]));
};

const isLike = (one: unknown, other: unknown): boolean => {
  if (one === 'any' || other === 'any') return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  const [ofOne, ofOther] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  return (
    ofOne.size === ofOther.size &&
    [...ofOne].every(([key, shape]) => ofOther.has(key) && isLike(shape, ofOther.get(key)))
  );
};

describe('docs/ops-json.md', function () {
  this.timeout(400_000);
  let examples: ReadonlyMap<string, ReadonlyArray<unknown>>;
  let env: Record<string, string>;
  let pool: pg.Pool;
  const seen = new Set<string>();

  before(async function () {
    this.timeout(startingPostgres * 2);
    examples = promised(await readFile('docs/ops-json.md', 'utf8'));
    const connectionString = await freshDatabase();
    env = { DATABASE_URL: connectionString };
    pool = new pg.Pool({ connectionString, max: 1 });
    await projectLog(connectionString, async (store) => {
      await append(store, streamAt(1), 0n, created('Bad'), sealed(renamed('Future'), streamAt(1), 1n, 99));
      return append(store, streamAt(2), 0n, created('Good'));
    });
    await pool.query(`update read_model.businesses set name = 'Vandal' where id = '${idAt(2)}'`);
  });

  after(() => pool.end());

  /** Runs a command and gives its lines; each must look like one of its examples, and each example be met. */
  const lines = async (command: string, ...rest: ReadonlyArray<string | { readonly input: string }>) => {
    seen.add(command);
    const words = rest.filter((word) => typeof word === 'string');
    const input = rest.find((word) => typeof word === 'object');
    const { stdout, stderr, code } = await runOperator([...command.split(' '), ...words, '--json'], { env, ...input });
    const printed = stdout
      .split('\n')
      .slice(0, -1)
      .map((line): unknown => JSON.parse(line));
    const shapes = (examples.get(command) ?? []).map((example) => shapeOf(example));
    expect(shapes, command).to.not.deep.equal([]);
    const met = printed.map((line) => shapes.findIndex((shape) => isLike(shapeOf(line), shape)));
    const wanted = shapes.map((_, index) => index);
    expect([...new Set(met)], `${command}: ${stdout}${stderr}`).to.have.members(wanted);
    return { printed, stderr, code };
  };

  it('describes what each command prints for scripts, and its exit codes', async () => {
    const code = async (...args: Parameters<typeof lines>): Promise<unknown> => (await lines(...args)).code;
    expect(await code('projections status')).to.equal(0);
    // a row of which nothing is in the log
    await pool.query(
      `insert into read_model.businesses (id, place, revision, parked) values ('${idAt(3)}', 9, 1, false)`,
    );
    await pool.query(`update read_model.ledger set actor = 'vandal' where idx = 0`);
    expect(await code('projections verify')).to.equal(1);
    await pool.query(`delete from read_model.businesses where id = '${idAt(3)}'`);
    expect(await code('projections parked list')).to.equal(0);
    expect(await code('projections parked show', streamAt(1))).to.equal(0);
    expect(await code('projections parked retry', streamAt(1))).to.equal(1);
    expect(await code('projections parked skip', streamAt(1), '--reason', 'a test')).to.equal(0);
    const kept = await lines('projections rebuild', 'businesses');
    expect(kept.code).to.equal(1);
    expect(kept.stderr).to.include(`  ${idAt(2)}  name
`);
    expect(await code('projections rebuild', 'businesses', '--switch', 'always')).to.equal(0);
    expect(await code('projections rollback', 'businesses')).to.equal(0);
  });

  it('describes what is printed about a log', async () => {
    const connectionString = await freshDatabase();
    env = { DATABASE_URL: connectionString };
    await projectLog(connectionString, async (store) => {
      await appendChained(store, makeChains(), ...interleaved(3, 2));
      return 6n;
    });
    const { printed: shown, code: listed } = await lines('events', '--limit', '2');
    expect([shown.length, listed]).to.deep.equal([2, 0]);
    expect((await lines('reads')).code).to.equal(0);
    expect((await lines('reads prune', '--before', '2026-01-02T03:04:05Z')).code).to.equal(0);
    expect((await lines('log copy', '--to', await freshDatabase())).code).to.equal(0);
    const { stdout: exported } = await runOperator(['log', 'export'], { env });
    const original = env;
    env = { DATABASE_URL: await freshDatabase() };
    expect((await lines('log import', { input: exported })).code).to.equal(0);
    env = original;
    const log = new pg.Client({ connectionString });
    await log.connect();
    await log.query(LIFT_GUARD);
    await log.query(`update event_log.event set data = '{}' where stream = $1`, [businessStream(1)]);
    await log.end();
    expect((await lines('log verify')).code).to.equal(1);
    env = { ...env, EVENT_KEY: 'an event key of at least 32 bytes' };
    expect((await lines('log require-mac')).code).to.equal(0);
    expect((await lines('log seal-decisions')).code).to.equal(0);
    const record = businessStream(2).replace('-', '/');
    expect((await lines('hold add', record, '--reason', 'a claim')).code).to.equal(0);
    expect((await lines('hold list')).code).to.equal(0);
    expect((await lines('hold release', record, '--reason', 'the claim is settled')).code).to.equal(0);
    const { stdout: key } = await runOperator(['log', 'new-key', 'log.example.com/records']);
    const { stdout: another } = await runOperator(['log', 'new-key', 'log.example.com/records']);
    await sealLog(connectionString, right(parseSigner(key.trim())));
    env = { ...env, CHECKPOINT_KEY: key + another, DATA_DIR: await mkdtemp(path.join(tmpdir(), 'ops-json-')) };
    expect((await lines('log replace-key', '--reason', 'once a year')).code).to.equal(0);
    expect((await lines('log restart-seal', '--reason', 'restored the backup of Monday', '--force')).code).to.equal(0);
    await rm(env['DATA_DIR'] ?? '', { recursive: true });
  });

  it('describes what is printed about files', async () => {
    const connectionString = await freshDatabase();
    const directory = await mkdtemp(path.join(tmpdir(), 'ops-json-'));
    env = { DATABASE_URL: connectionString, DATA_DIR: directory };
    await projectLog(connectionString, async (store) => {
      await givenStream(store, 'document-1', [aDocumentCreated({ file: aStoredFile({ key: 'documents/1/2' }) })]);
      return 1n;
    });
    const storage = await diskStorage(path.join(directory, 'files'));
    await storage.put('documents/1/3', Readable.from([Buffer.from('named by no event')]));
    const { printed, code } = await lines('files verify');
    await rm(directory, { recursive: true });
    expect([printed.length, code]).to.deep.equal([3, 1]);
  });

  it('describes what is printed about a backup', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'ops-json-'));
    const connectionString = await freshDatabase();
    const [original, backup] = [path.join(directory, 'original'), path.join(directory, 'backup')];
    const key = { EVENT_KEY: 'an event key of at least 32 bytes' };
    env = { DATABASE_URL: connectionString, DATA_DIR: original, ...key };
    await diskStorage(path.join(original, 'files'));
    await developmentSecret(systemRuntime.random, original);
    await projectLog(connectionString, async (store) => {
      // the second one is no event of a document, so nobody knows which file it names
      await appendChained(store, makeChains(), businessStream(1), 'document-1');
      return 2n;
    });
    expect((await lines('backup', backup)).code).to.equal(1);
    env = { DATABASE_URL: await freshDatabase(), DATA_DIR: path.join(directory, 'restored') };
    expect((await lines('restore', backup)).code).to.equal(0);
    const manifest = path.join(backup, 'manifest.json');
    await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('"events": 2,', '"events": 3,'));
    expect((await lines('backup --verify', backup)).code).to.equal(1);
    await rm(directory, { recursive: true });
  });

  it('describes what is printed about an audit pack', async () => {
    const connectionString = await freshDatabase();
    const directory = await mkdtemp(path.join(tmpdir(), 'ops-json-'));
    const signer = right(signerOf('log.example.com', Buffer.alloc(32, 1)));
    env = { DATABASE_URL: connectionString, DATA_DIR: directory, CHECKPOINT_KEY: renderSigner(signer) };
    await projectLog(connectionString, async (store) => {
      await appendChained(store, makeChains(), businessStream(1));
      return 1n;
    });
    await sealLog(connectionString, signer);
    const { code } = await lines('audit pack', businessStream(1).replace('-', '/'), '--out', `${directory}/pack.zip`);
    await rm(directory, { recursive: true });
    expect(code).to.equal(0);
  });

  it('describes what is printed about erasures', async function () {
    this.timeout(startingPostgres * 4);
    const dataDir = await mkdtemp(path.join(tmpdir(), 'ops-json-'));
    const secrets = {
      EVENT_KEY: 'an event key of at least 32 bytes',
      ERASURE_KEY: 'an erasure key of at least 32 bytes',
    };
    env = {
      ...{ DATABASE_URL: await freshDatabase(), DATA_DIR: dataDir, ERASURE: 'true', ...secrets },
      ACCESS_RECORD: 'required',
    };
    const service = await startComposed({ dataDir, env });
    try {
      const api = makeApi(service.address, await tokenFor('admin', 'alice'));
      const { _id: id } = await api.json<{ readonly _id: string }>('POST', '/business', { name: 'Acme' });
      await api.json('POST', `/business/${id}/owner`, { user: 'bob' });
      await api.json('POST', '/document', { name: 'Passport', type: 'Image', entityType: 'User', entity: 'bob' });
      await api.json('GET', `/business/${id}/events`);
      await runOperator(['hold', 'add', `business/${id}`, '--reason', 'claim 7'], { env });
      expect((await lines('erase plan', 'owner/bob')).code).to.equal(0);
      await runOperator(['hold', 'release', `business/${id}`, '--reason', 'settled'], { env });
      expect((await lines('erase run', `business/${id}`, '--basis', 'ticket 1', '--yes')).code).to.equal(0);
      expect((await lines('erase list')).code).to.equal(0);
    } finally {
      await service.stop();
      await rm(dataDir, { recursive: true });
    }
  });

  it('leaves no command out, and names none that there is not', () => {
    expect([...examples.keys()]).to.have.members([...seen]);
  });
});

const COMMANDS = [
  [],
  ['backup'],
  ['restore'],
  ['migrate'],
  ['completion'],
  ['events'],
  ['reads'],
  ['reads', 'list'],
  ['reads', 'prune'],
  ['erase'],
  ['erase', 'plan'],
  ['erase', 'run'],
  ['erase', 'list'],
  ['erase', 'rotate-key'],
  ['hold'],
  ['hold', 'add'],
  ['hold', 'release'],
  ['hold', 'list'],
  ['projections'],
  ['projections', 'status'],
  ['projections', 'rebuild'],
  ['projections', 'rollback'],
  ['projections', 'verify'],
  ['projections', 'parked'],
  ['projections', 'parked', 'list'],
  ['projections', 'parked', 'show'],
  ['projections', 'parked', 'retry'],
  ['projections', 'parked', 'skip'],
  ['log'],
  ['log', 'verify'],
  ['log', 'export'],
  ['log', 'import'],
  ['log', 'copy'],
  ['log', 'require-mac'],
  ['log', 'seal-decisions'],
  ['log', 'key'],
  ['log', 'new-key'],
  ['log', 'replace-key'],
  ['log', 'restart-seal'],
  ['files'],
  ['files', 'verify'],
  ['audit'],
  ['audit', 'pack'],
];

describe("the operator's program", function () {
  this.timeout(300_000);

  it('explains itself on standard output, at every level, down to all of its commands', async () => {
    const said = await Promise.all(COMMANDS.map((path) => runOperator([...path, '--help'])));
    const listed = said.flatMap(({ stdout }, index) => {
      const [, list = ''] = /\nCommands:\n([\s\S]*)/.exec(stdout) ?? [];
      const names = [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name);
      return names.filter((name) => name !== 'help').map((name) => [...COMMANDS[index]!, name].join(' '));
    });
    expect(said.map(({ code, stderr }) => [code, stderr])).to.deep.equal(COMMANDS.map(() => [0, '']));
    expect(listed).to.have.members(COMMANDS.filter(({ length }) => length > 0).map((path) => path.join(' ')));
  });

  it('ends with 2 and its help when the command line is wrong, whatever is wrong', async () => {
    const wrong = [
      ['projections'],
      ['nonsense'],
      ['projections', 'rebuild', 'nothing'],
      ['projections', 'rebuild', '--switch', 'soon'],
      ['log', 'verify', 'x'],
      ['projections', 'parked', 'skip', 'business-1', '--reason', ' '],
    ];
    const ended = await Promise.all(wrong.map((args) => runOperator(args)));
    expect(ended.map(({ code, stdout }) => [code, stdout])).to.deep.equal(wrong.map(() => [2, '']));
  });

  it('says in one line that the database is away, or silent, and ends with 1', async () => {
    const away = await Promise.all(
      [
        ['projections', 'status'],
        ['projections', 'rebuild', '--json'],
        ['log', 'verify', '--json'],
        ['files', 'verify'],
      ].map((args) => runOperator(args, { env: { DATABASE_URL: 'postgres://localhost:1/none' } })),
    );
    for (const { code, stdout, stderr } of away)
      expect(
        [code, stdout, /^the event log cannot be opened: connect ECONNREFUSED [^\n]*\n$/.test(stderr)],
        stderr,
      ).to.deep.equal([1, '', true]);
  });
});
