import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import pg from 'pg';
import { type Api, makeApi } from '../support/api.js';
import { type EventStoreDbDouble, startDouble } from '../support/eventstoredb-double/double.js';
import { untilCaughtUp } from '../support/readiness.js';
import { runOperatorAlone } from '../support/operator.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { type ServiceProcess, startService, tokenFor } from '../support/service-process.js';

/** As delivered, and with the third kind: compiled, as threads cannot be started from sources. */
const compile = () => promisify(execFile)('npx', ['tsc', '-p', 'test/entities']);
const program = (name: string): ReadonlyArray<string> => [`dist/with-contacts/test/entities/${name}.js`];

type Contact = Readonly<Record<'_id' | 'name' | 'createdAt' | 'updatedAt', string>> & { readonly email: string | null };

const phone = null;

/** Everything a kind of entity gets by one line in the registry. */
describe('a kind of entity that only the registry knows', function () {
  this.timeout(startingPostgres + 60_000);

  let directory: string;
  let databaseUrl: string;
  let double: EventStoreDbDouble;
  let service: ServiceProcess;
  let api: Api;

  const start = async (env: Readonly<Record<string, string>> = {}): Promise<void> => {
    service = await startService({
      dataDir: path.join(directory, 'data'),
      env: { DATABASE_URL: databaseUrl, ...env },
      program: program('main'),
    });
    api = makeApi(service.address, await tokenFor('admin', 'alice'));
  };
  const stop = async (): Promise<void> => {
    service.kill('SIGTERM');
    await service.exited;
  };
  const ops = async (...args: ReadonlyArray<string>) => {
    const { code, stdout, stderr } = await runOperatorAlone(args, {
      env: { DATABASE_URL: databaseUrl },
      program: program('ops'),
    });
    expect(code, stderr).to.equal(0);
    return stdout;
  };

  /** A list, once it lacks nothing: a service that has just started may not show yet what it was told first. */
  const listed = async (path: string): Promise<ReadonlyArray<Contact>> => {
    await untilCaughtUp(service, 'contacts');
    return api.json<ReadonlyArray<Contact>>('GET', path);
  };

  let ann: Contact;
  let bob: Contact;
  let bobFirst: Contact;

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'contact-'));
    [databaseUrl, double] = await Promise.all([freshDatabase(), startDouble(), compile()]);
    await start();
  });

  after(async () => {
    await stop();
    double.close();
    await rm(directory, { recursive: true });
  });

  it('is as many files as the documentation says', async () => {
    const [files, page] = [await readdir('test/entities/contact'), await readFile('docs/code.md', 'utf8')];
    expect(files).to.have.length(5);
    expect(page).to.include('five files').and.to.include('registry.ts');
    for (const file of files) expect(page).to.include(`\`${file}\``);
  });

  it('is created and updated', async () => {
    ann = await api.json('POST', '/contact', { name: 'Ann', email: 'ann@example.org' });
    const { createdAt } = ann;
    const lifecycle = { createdAt, updatedAt: createdAt, revision: 0 };
    expect(ann).to.deep.equal({ _id: ann._id, name: 'Ann', email: 'ann@example.org', phone, ...lifecycle });
    bob = await api.json('POST', '/contact', { name: 'Bob' });
    bobFirst = bob;
    bob = await api.json('PUT', `/contact/${bob._id}`, { email: 'bob@example.org' });
    expect(bob).to.deep.equal({ ...bobFirst, email: 'bob@example.org', updatedAt: bob.updatedAt, revision: 1 });
    expect(bob.updatedAt >= bob.createdAt).to.equal(true);
    await api.json('POST', '/business', { name: 'Acme' });
  });

  it('is listed and filtered', async () => {
    expect(await listed('/contact')).to.deep.equal([ann, bob]);
    expect(await api.json('GET', '/contact?limit=1')).to.deep.equal([ann]);
    expect(await api.json('GET', '/contact?email=bob@example.org')).to.deep.equal([bob]);
    expect(await api.json('GET', '/contact?name=Nobody')).to.deep.equal([]);
  });

  it('is read now and as of a revision, and shows its history', async () => {
    expect(await api.json('GET', `/contact/${bob._id}`)).to.deep.equal(bob);
    expect(await api.json('GET', `/contact/${bob._id}?revision=0`)).to.deep.equal(bobFirst);
    const events = await api.json<ReadonlyArray<object>>('GET', `/contact/${bob._id}/events`);
    const told = events.map((event) => event as Record<'entityType' | 'message', string>);
    expect(told.map(({ entityType, message }) => [entityType, message])).to.deep.equal([
      ['Contact', 'contact created'],
      ['Contact', 'email updated'],
    ]);
  });

  it('tells what each event changed, and why', async () => {
    const why = { 'Change-Reason': 'as told' };
    expect((await api.send('PUT', `/contact/${bob._id}`, { email: null }, why)).status).to.equal(200);
    bob = await api.json('PUT', `/contact/${bob._id}`, { email: bob.email });
    type Told = { readonly diff: unknown; readonly reason?: string };
    const events = await api.json<ReadonlyArray<Told>>('GET', `/contact/${bob._id}/events?diff=true&order=desc`);
    const path = '/email';
    expect(events.map(({ diff, reason }) => [diff, reason])).to.deep.equal([
      [[{ path, before: null, after: bob.email }], undefined],
      [[{ path, before: bob.email, after: null }], 'as told'],
      [[{ path, before: null, after: bob.email }], undefined],
      [[{ path: '/name', before: null, after: 'Bob' }], undefined],
    ]);
  });

  it('is in the description of the API', async () => {
    const { paths } = (await (await fetch(`${service.address}/openapi.json`)).json()) as { paths: object };
    expect(Object.keys(paths).filter((name) => name.includes('contact'))).to.have.length(3);
  });

  it('is counted in the metrics', async () => {
    const authorization = `Bearer ${await tokenFor('admin', 'alice')}`;
    const metrics = await (await fetch(`${service.address}/metrics`, { headers: { authorization } })).text();
    expect(metrics).to.match(/projection_\w+\{read_model="contacts"[^}]*\} \d/);
  });

  it('is rebuilt, compared and switched, and rolled back', async () => {
    const rebuilt = JSON.parse(
      await ops('projections', 'rebuild', 'contacts', '--switch', 'always', '--json'),
    ) as object;
    expect(rebuilt).to.include({ projection: 'contacts', outcome: 'Switched' });
    expect(await ops('projections', 'rollback', 'contacts')).to.include('contacts');
    expect(await api.json('GET', '/contact')).to.deep.equal([ann, bob]);
    const answer = await api.send('PUT', `/contact/${ann._id}`, { name: 'Anna' });
    ann = (await answer.json()) as Contact; // reason: a record, as documented
    const renamed = () => api.json<ReadonlyArray<Contact>>('GET', '/contact?name=Anna');
    // the service may just be taking over the rows that were switched to, and says so
    if (answer.headers.get('x-projected') === 'false') await untilCaughtUp(service, 'contacts');
    expect(await renamed()).to.deep.equal([ann]);
  });

  it('is verified, and what was changed in its rows is found', async () => {
    expect(await ops('projections', 'status', '--json')).to.include('contacts');
    expect(await ops('projections', 'verify')).to.include('contacts');
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const columns = `update read_model.contacts set name = 'Vandal' where id = '${bob._id}'`;
    await client.query(columns);
    await client.end();
    const verified = await runOperatorAlone(['projections', 'verify', 'contacts', '--repair'], {
      env: { DATABASE_URL: databaseUrl },
      program: program('ops'),
    });
    expect(verified.stdout).to.include(bob._id);
    expect(await api.json('GET', '/contact?name=Bob')).to.deep.equal([bob]);
  });

  it('is exported, verified in the log, has its reads recorded, is copied to EventStoreDB and served from there', async () => {
    const exported = await ops('log', 'export');
    expect(exported.split('\n').filter((line) => line.includes(`contact-${bob._id}`))).to.have.length(4);
    expect(await ops('log', 'verify')).to.include('7 events');
    await stop();
    const reads = await ops('reads', '--record', `contact/${bob._id}`, '--json');
    const recorded = reads
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { operation: string; what: string });
    expect(recorded.map(({ operation, what }) => [operation, what])).to.deep.equal([
      ['getContact', 'revision=0'],
      ['listContactEvents', ''],
      ['listContactEvents', 'diff=true&order=desc'],
    ]);
    await ops('log', 'copy', '--to', double.connectionString, '--cut-over');
    const copied = double.log.records.filter(({ stream }) => stream.startsWith('contact-'));
    expect(copied.map(({ type }) => type)).to.deep.equal([
      'ContactCreated',
      'ContactCreated',
      'ContactUpdated',
      'ContactUpdated',
      'ContactUpdated',
      'ContactUpdated',
    ]);
    await start({ EVENTSTOREDB_URL: double.connectionString });
    expect(await listed('/contact')).to.deep.equal([ann, bob]);
    const cleo = await api.json<Contact>('POST', '/contact', { name: 'Cleo' });
    expect(await listed('/contact?name=Cleo')).to.deep.equal([cleo]);
  });
});
