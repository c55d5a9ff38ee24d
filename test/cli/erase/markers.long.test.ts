import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import type pg from 'pg';
import { makeApi } from '../../support/api.js';
import { runOperator } from '../../support/operator.js';
import { type ServiceProcess, startService, tokenFor } from '../../support/service-process.js';
import { type Found, hasBytes, inFiles, search, withDatabase } from './markers/places.js';
import { markersIn, type Planted, Planting } from './markers/plant.js';

/** What stays, by the sentence of docs/erasure.md that says so. */
const STAYS = {
  users: 'who did what: `user` of an event, `$correlationId`, lines of logs',
  basis: '`ops erase run` carries it out, with a `--basis` that is kept for ever, in clear',
  typed: 'what `ops erase run` was told and prints',
  database: 'the files of the database of the read models, and its WAL',
};

/** So many segments of its write-ahead log has the database of this test at most. */
const SEGMENTS = 12;

describe('what is left of a thousand markers', function () {
  this.timeout(900_000);
  let home: string;
  let env: Record<string, string>;
  let service: ServiceProcess;
  let planted: Planted;
  /** Names that stay: of who wrote, and in the basis. */
  let [user, basis] = ['', ''];

  before(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'markers-'));
    const dataDir = await mkdtemp(path.join(tmpdir(), 'markers-data-'));
    env = { DATA_DIR: dataDir, ERASURE: 'true', ACCESS_RECORD: 'on' };
    service = await startService({ dataDir, env });
    // not of those that are counted
    [user, basis] = ['mrk9998q', 'mrk9999q'];
    const planting = new Planting(service.address, await tokenFor('admin', user));
    for (let count = 0; count < 4; count += 1) await planting.business();
    for (let count = 0; count < 3; count += 1) await planting.document();
    await planting.owners(3, 4);
    planted = planting.planted();
  });

  after(async () => {
    service.kill('SIGTERM');
    await service.exited;
    for (const directory of [home, env['DATA_DIR'] ?? '']) await rm(directory, { recursive: true });
  });

  const inDatabase = <A>(work: (client: pg.Client, directory: string) => Promise<A>): Promise<A> =>
    withDatabase(env['DATA_DIR'] ?? '', work);

  /** Asks for what is about markers, and is refused some of it. */
  const askFor = async (): Promise<void> => {
    const api = makeApi(service.address, await tokenFor('admin', 'ann'));
    const [owner = '', [text = ''], [id = '']] = [planted.owners[0], [...planted.texts], planted.businesses];
    const headers = { Authorization: `Bearer ${await tokenFor('admin', 'ann')}` };
    for (const query of [`reason=${text}`, `ref=${owner}`, `entity=${id}&value=${text}`, `user=${owner}`, `${text}=1`])
      await fetch(`${service.address}/audit/v1/events?${query}`, { headers });
    for (const where of [`/business?owner=${owner}`, `/business?name=${text}`, `/${text}`])
      await api.send('GET', where);
    await api.send('POST', `/business/${id}/owner`, { user: planted.owners[0], title: 7 });
    await api.send('DELETE', `/business/${id}/owner/${owner}`);
    await api.send('PUT', `/business/${text}`, { name: text });
  };

  /** The places with a marker that was planted to be erased. */
  const placesOf = (found: Found) =>
    [...found].flatMap(([place, markers]) => {
      const left = [...markers].filter((marker) => marker !== user && marker !== basis);
      return left.length === 0 ? [] : [`${place}: ${left.length}, as ${left[0]}`];
    });

  it('is found where it should be, before anything is erased', async () => {
    expect(planted.texts.size + planted.contents.size).to.be.greaterThan(1000);
    await askFor();
    await inDatabase((client) => client.query('analyze'));
    const found = await search(service, env, home, planted);
    const missing = (place: string, wanted: ReadonlySet<string>): ReadonlyArray<string> =>
      [...wanted].filter((marker) => found.get(place)?.has(marker) !== true);
    const ledger = [...found.keys()].find((place) => place.startsWith('table read_model.ledger_')) ?? '';
    for (const place of [
      ...['NDJSON of the events', 'CSV of the events', 'feed of all events', 'histories', 'stored data'],
      ...['export', 'audit pack', 'ops events', ledger],
    ])
      expect(missing(place, planted.texts), place).to.deep.equal([]);
    for (const place of ['storage', 'backup', 'audit pack'])
      expect(missing(place, planted.contents), place).to.deep.equal([]);
    for (const place of ['lists', 'feeds of records', 'earlier states', 'table pg_catalog.pg_statistic'])
      expect(found.get(place)?.size, place).to.be.greaterThan(50);
    // what nobody may find there at any time
    for (const place of ['table event_log.event', 'table access.read', 'reads', 'metrics', 'log of the service'])
      expect(
        [...(found.get(place) ?? [])].filter((marker) => marker !== user),
        place,
      ).to.deep.equal([]);
    const raw = await inDatabase(async (client, directory) => {
      await client.query('checkpoint');
      return inFiles(directory);
    });
    expect([...planted.texts].filter((marker) => !raw.has(marker))).to.deep.equal([]);
  });

  it('is nothing but what docs/erasure.md names', async () => {
    const page = (await readFile('docs/erasure.md', 'utf8')).replace(/\s+/g, ' ');
    for (const sentence of Object.values(STAYS)) expect(page).to.include(sentence);
    const keys = await inDatabase((client) =>
      client.query<{ wrapped: Buffer }>('select wrapped from erasure.key_tree'),
    );
    const wrapped = keys.rows[0]?.wrapped ?? Buffer.alloc(0);
    let printed = '';
    for (const subject of [
      ...planted.owners.map((owner) => `owner/${owner}`),
      ...planted.businesses.map((id) => `business/${id}`),
      ...planted.documents.map((id) => `document/${id}`),
    ]) {
      const args = ['erase', 'run', subject, '--basis', basis, '--yes'];
      const { code, stdout, stderr } = await runOperator(args, { env });
      expect(code, stderr).to.equal(0);
      printed += stdout + stderr;
    }
    for (const command of [
      ['erase', 'list'],
      ['log', 'verify'],
      ['files', 'verify'],
      ['projections', 'verify'],
    ]) {
      const { code, stdout, stderr } = await runOperator(command, { env });
      expect(code, stderr).to.equal(0);
      printed += stdout + stderr;
    }
    expect(placesOf(await search(service, env, home, planted))).to.deep.equal([]);
    // STAYS.typed
    expect([...new Set(markersIn(printed))].sort()).to.deep.equal([...planted.owners, basis].sort());

    service.kill('SIGTERM');
    await service.exited;
    await inDatabase(async (client, directory) => {
      const left = async (): Promise<ReadonlyArray<string>> => placesOf(new Map([['files', await inFiles(directory)]]));
      // STAYS.database: what pages have no more is written over when they are filled again, a segment when it is used again
      await client.query('checkpoint');
      expect(await left()).to.have.length(1);
      expect(await hasBytes(directory, wrapped)).to.equal(true);
      await client.query('vacuum full');
      for (let segment = 0; segment < SEGMENTS && (await left()).length > 0; segment += 1) {
        await client.query(`select pg_logical_emit_message(true, '', ''), pg_switch_wal()`);
        await client.query('checkpoint');
      }
      expect(await left()).to.deep.equal([]);
      expect(await hasBytes(directory, wrapped)).to.equal(false);
    });
  });
});
