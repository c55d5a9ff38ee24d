import { createHash } from 'node:crypto';
import { readFile, statfs } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/infrastructure/embedded/embedded-postgres.js';
import { untilMetrics, untilReadiness, untilUnready } from '../support/readiness.js';
import { filesBelow } from '../support/files-below.js';
import { needs } from '../support/needs.js';
import { type ServiceProcess, startService, tokenFor } from '../support/service-process.js';
import { mountSmallDisk, MOUNTING, type SmallDisk } from '../support/small-disk.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const MEBIBYTES = 220;

type Reply = { readonly status: number; readonly text: string };

/** What a client can see of a service. */
const clientOf = ({ address }: ServiceProcess, token: string) => {
  const send = async (method: string, target: string, body?: string | FormData): Promise<Reply> => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
    };
    const response = await fetch(address + target, { method, headers, ...(body === undefined ? {} : { body }) });
    return { status: response.status, text: await response.text() };
  };
  const upload = (bytes: number): Promise<Reply> => {
    const form = new FormData();
    form.set('name', 'file');
    form.set('file', new Blob([Buffer.alloc(bytes, 1)]), 'file.bin');
    return send('POST', '/api/v1/document', form);
  };
  const metric = async (name: string): Promise<ReadonlyArray<string>> =>
    (await send('GET', '/metrics')).text.split('\n').filter((line) => line.startsWith(name));
  return {
    get: (target: string) => send('GET', target),
    create: (description: string | null = null) =>
      send('POST', '/api/v1/document', JSON.stringify({ name: 'document', description })),
    upload,
    metric,
  };
};

type Client = ReturnType<typeof clientOf>;

const checks = {
  serving: 'ok',
  log: 'ok',
  readModels: 'ok',
  writable: 'ok',
  readModelsOfThisLog: 'ok',
  rowsWritten: 'ok',
  files: 'ok',
};
const READY = { status: 200, text: JSON.stringify({ status: 'ready', checks }) };
const warnings = ['disk full: database', 'disk full: files'];
const FULL = { status: 200, text: JSON.stringify({ status: 'ready', checks, warnings }) };

const idOf = ({ text }: Reply): string => (JSON.parse(text) as { readonly _id: string })._id;

let drawn = 0;

/** Text that no store compresses, another one each time, and the same in every run. */
const noise = (): string => {
  drawn += 1;
  return Array.from({ length: 200 }, (_, line) =>
    createHash('sha256').update(`${drawn} ${line}`).digest('base64'),
  ).join('');
};

/** Creates documents from several clients until `isOver`; gives the ids of those that were acknowledged. */
const createUntil = async (client: Client, isOver: () => boolean): Promise<ReadonlyArray<string>> => {
  const acknowledged: Array<string> = [];
  const write = async (): Promise<void> => {
    while (!isOver()) {
      const reply = await client.create(noise());
      if (reply.status === 200) acknowledged.push(idOf(reply));
    }
  };
  await Promise.all(Array.from({ length: 4 }, write));
  return acknowledged;
};

const missingOf = async (client: Client, ids: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const missing: Array<string> = [];
  for (const id of ids) if ((await client.get(`/api/v1/document/${id}`)).status !== 200) missing.push(id);
  return missing;
};

/** Creates documents until there is no room for one. */
const createUntilRefused = async (client: Client): Promise<void> => {
  while ((await client.create(noise())).status !== 503);
};

/** Said on a full disk where the pages of its table have no room left for a row, which is so sooner or later. */
const UNRECORDED = 'the database does not take the record of reads';

/** The warnings that are not about disks, and are never given for them. */
const OTHERS = [
  ...['businesses', 'documents', 'ledger'].map((name) => `nobody writes the rows: ${name}`),
  'history shorter than its rows: businesses',
  'history shorter than its rows: documents',
  'rows differ from their events: businesses; see ops projections verify --repair',
  'rows differ from their events: documents; see ops projections verify --repair',
  'no checkpoint is signed: the log does not extend what was signed before',
  'checkpoints were removed from the file storage: see ops log verify',
  'events are without a checkpoint for more than 30 s: none is signed',
  'the log, or what is kept of it, was changed: see ops log verify',
  'the guard of the history is lifted: see ops log verify',
].map((warning) => `readiness_warning{warning="${warning}"} 0`);

describe('a full disk', function () {
  this.timeout(300_000);
  let disk: SmallDisk;
  let service: ServiceProcess | undefined;
  let client: Client;
  let alsoStop: () => Promise<void>;

  const start = async (dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<void> => {
    service = await startService({ dataDir, env });
    client = clientOf(service, await tokenFor('admin', 'alice'));
  };

  const untilIs = (wanted: typeof READY): Promise<unknown> =>
    untilReadiness(service!, ({ status, text }) => status === wanted.status && text === wanted.text);

  const untilFull = (): Promise<unknown> =>
    untilReadiness(
      service!,
      ({ status, text }) => status === FULL.status && text.replace(`,"${UNRECORDED}"`, '') === FULL.text,
    );

  beforeEach(function () {
    service = undefined;
    alsoStop = () => Promise.resolve();
    const mounted = mountSmallDisk(MEBIBYTES);
    needs(this, mounted !== undefined, MOUNTING);
    disk = mounted!;
  });

  afterEach(async () => {
    service?.kill('SIGTERM');
    await service?.exited;
    await alsoStop();
    disk.unmount();
  });

  it('is a warning while reads go on, and over by itself when there is room again', async () => {
    await start(path.join(disk.directory, 'data'));
    const stored = await client.upload(100_000);
    const document = `/api/v1/document/${idOf(stored)}`;
    await untilIs(READY);
    expect(await client.metric('readiness_warning')).to.deep.equal([
      'readiness_warning{warning="disk full: database"} 0',
      'readiness_warning{warning="disk full: files"} 0',
      ...OTHERS,
      `readiness_warning{warning="${UNRECORDED}"} 0`,
    ]);

    let isOver = false;
    const creating = createUntil(client, () => isOver);
    await disk.fill();
    await untilFull();
    await createUntilRefused(client);
    expect((await client.upload(3_000_000)).status).to.equal(503);
    for (const target of [
      '/api/v1/document?limit=1',
      '/api/v1/business',
      document,
      `${document}/file`,
      `${document}/events`,
    ])
      expect([target, (await client.get(target)).status]).to.deep.equal([target, 200]);
    await untilFull();
    expect((await client.metric('readiness_warning')).filter((line) => !line.includes(UNRECORDED))).to.deep.equal([
      'readiness_warning{warning="disk full: database"} 1',
      'readiness_warning{warning="disk full: files"} 1',
      ...OTHERS,
    ]);
    const free = (await client.metric('disk_free_bytes')).map((line) => Number(line.split(' ').at(-1)));
    expect(free).to.have.length(2);
    expect(Math.max(...free)).to.be.lessThan(64 * 1024 * 1024);

    await disk.makeRoom();
    await untilIs(READY);
    isOver = true;
    const acknowledged = await creating;
    expect((await client.create()).status).to.equal(200);
    expect((await client.upload(3_000_000)).status).to.equal(200);
    expect(acknowledged.length).to.be.greaterThan(0);
    expect(await missingOf(client, acknowledged)).to.deep.equal([]);
    expect(service?.output()).not.to.include('ended unexpectedly');
  });

  it('that uploads fill in the middle refuses them, keeps no part of one, and takes them when there is room', async () => {
    await start(path.join(disk.directory, 'data'), { MAX_UPLOAD_BYTES: String(MEBIBYTES * 1024 * 1024) });
    const { bavail, bsize } = await statfs(disk.directory);
    // two of them have no room
    const bytes = Math.round(bavail * bsize * 0.6);
    const stored = await filesBelow(path.join(disk.directory, 'data', 'files'));
    const statuses = (await Promise.all([client.upload(bytes), client.upload(bytes)])).map(({ status }) => status);
    expect(statuses).to.include(503).and.not.to.include(500);
    const whole = statuses.filter((status) => status === 200).length;
    expect(await filesBelow(path.join(disk.directory, 'data', 'files'))).to.have.length(stored.length + whole);
    await untilReadiness(service!, ({ status, warnings = [] }) => status === 200 && warnings.length === 0);
    expect((await client.upload(1_000_000)).status).to.equal(200);
    expect(service?.output()).not.to.include('ended unexpectedly');
  });

  it('loses nothing that was acknowledged, and is over by itself, also when it ended Postgres', async () => {
    const dataDir = path.join(disk.directory, 'data');
    await start(dataDir);
    const ids = [idOf(await client.create('before')), idOf(await client.upload(50_000))];
    await disk.fill();
    await endByItsLog(dataDir);
    await untilUnready(service!);
    expect((await client.get('/livez')).status).to.equal(200);

    await disk.makeRoom();
    await untilIs(READY);
    const again = await client.create();
    expect(again.status).to.equal(200);
    expect(await missingOf(client, [...ids, idOf(again)])).to.deep.equal([]);
    expect(service?.output()).to.include('PANIC');
  });

  it('of a Postgres of one’s own is a warning as soon as a write fails, and over when one succeeds', async () => {
    const started = await startEmbeddedPostgres({
      runtime: systemRuntime,
      dataDir: disk.directory,
      processKind: 'service',
      onLog: () => undefined,
    });
    if (started._tag === 'Left') throw new Error(started.left.message);
    alsoStop = started.right.stop;
    await start(path.join(disk.directory, 'files'), { DATABASE_URL: started.right.connectionString });
    await client.create('before');
    await untilMetrics(service!, (text) => text.includes('\ndisk_free_bytes'));
    expect(await client.metric('disk_free_bytes'), 'that of the files').to.have.length(1);

    await disk.fill();
    await createUntilRefused(client);
    await untilReadiness(service!, ({ text }) => text.includes('disk full: database'));
    expect((await client.get('/api/v1/document')).status).to.equal(200);

    await disk.makeRoom();
    expect((await client.create()).status).to.equal(200);
    await untilIs(READY);
  });
});

/** Has Postgres write to its log until that has no room. */
const endByItsLog = async (dataDir: string): Promise<void> => {
  const cluster = path.join(dataDir, 'postgres', 'cluster');
  const [, , , port] = (await readFile(path.join(cluster, 'data', 'postmaster.pid'), 'utf8')).split('\n');
  const password = (await readFile(path.join(cluster, 'password'), 'utf8')).trim();
  const client = new pg.Client({ host: '127.0.0.1', port: Number(port), user: 'app', database: 'app', password });
  client.on('error', () => undefined);
  await client.connect();
  const failure = await (async () => {
    for (let mebibytes = 0; mebibytes < 64; mebibytes += 1)
      await client.query(`select pg_logical_emit_message(true, 'test', repeat('x', 1048576))`);
  })().then(
    () => undefined,
    (error: unknown) => error,
  );
  await client.end().catch(() => undefined);
  expect(failure, 'the log of Postgres ran out of room').to.be.instanceOf(Error);
};
