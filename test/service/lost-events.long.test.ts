import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { type Api, makeApi } from '../support/api.js';
import { type EventStoreDbDouble, startDouble } from '../support/eventstoredb-double/double.js';
import { readinessOf, untilReady } from '../support/readiness.js';
import { makePutBack, type PutBack } from '../support/lagging-copy.js';
import { runOperator } from '../support/operator.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { type ComposedService, startComposed } from '../support/composed-service.js';
import { tokenFor } from '../support/service-process.js';

type Business = { readonly _id: string; readonly name: string };

type Served = { readonly service: ComposedService; readonly api: Api };

describe('a log that has lost its last events', function () {
  this.timeout(startingPostgres * 5);
  let dataDir: string;
  let url: string;
  let database: PutBack;
  let services: Array<ComposedService>;

  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'lost-events-'));
    url = await freshDatabase();
    database = makePutBack(url);
    services = [];
  });

  afterEach(async () => {
    await Promise.all(services.map(({ stop }) => stop()));
    await database.close();
    await rm(dataDir, { recursive: true });
  });

  const start = async (env: Readonly<Record<string, string>> = {}): Promise<Served> => {
    const service = await startComposed({ dataDir, env: { DATABASE_URL: url, ...env } });
    services.push(service);
    return { service, api: makeApi(service.address, await tokenFor('admin', 'alice')) };
  };

  const operate = (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
    runOperator(args, { env: { DATABASE_URL: url, ...env } });

  const create = (api: Api, name: string): Promise<Business> => api.json<Business>('POST', '/business', { name });

  const names = async (api: Api): Promise<ReadonlyArray<string>> =>
    (await api.json<ReadonlyArray<Business>>('GET', '/business')).map(({ name }) => name);

  /** Whether a list has the name, or is refused. */
  const isListed = async (api: Api, name: string): Promise<boolean> => {
    const listed = await api.send('GET', '/business');
    return listed.status === 503 || (await listed.text()).includes(name);
  };

  /** How often a process has said that events were lost. */
  const losses = ({ service }: Served): number => service.output().split('"kind":"events-lost"').length - 1;

  /** What one is answered who creates and reads, from the first 200 on. Whatever is answered must be true. */
  const createdAndRead = async ({ api }: Served, name: string, readers: ReadonlyArray<Served>) => {
    const create = () => api.send('POST', '/business', { name });
    let written = await create();
    for (; written.status !== 200; written = await create()) await written.text();
    const { _id } = (await written.json()) as Business; // reason: the answer of the contract
    const isShown = written.headers.get('X-Projected') === null;
    const byId = await Promise.all(readers.map((reader) => reader.api.send('GET', `/business/${_id}`)));
    const listed = isShown ? await Promise.all(readers.map(({ api: reader }) => isListed(reader, name))) : [];
    return {
      status: written.status,
      byId: byId.map((read) => read.status),
      listed,
      isShown,
    };
  };

  /** Creates until an answer says that the rows show it. */
  const untilShown = async (served: Served, readers: ReadonlyArray<Served>): Promise<void> => {
    for (let isShown = false; !isShown;) {
      const created = await createdAndRead(served, 'new', readers);
      expect(created.byId, 'by id').to.deep.equal(readers.map(() => 200));
      expect(created.listed, 'in lists').to.not.include(false);
      isShown = created.isShown;
    }
  };

  const PARTS = {
    'two processes, of which one does both': [{}, { API_ONLY: 'true' }],
    'processes of which one projects alone': [{ API_ONLY: 'true' }, { API_ONLY: 'true' }, { PROJECTOR_ONLY: 'true' }],
  };
  for (const [which, parts] of Object.entries(PARTS))
    it(`and its rows with them, is followed from what is left by ${which}, and no answer is untrue`, async () => {
      const all: Array<Served> = [];
      for (const env of parts) all.push(await start(env));
      const [first, second] = all;
      if (first === undefined || second === undefined) throw new Error('two processes answer');
      const serving = [first, second];
      await create(first.api, 'kept');
      await database.copy();
      for (const { service } of all) await untilReady(service);
      const lost: Array<Business> = [];
      for (const name of ['one', 'two', 'three', 'four', 'five', 'six']) lost.push(await create(second.api, name));
      await create(first.api, 'seven');
      await database.promote();

      await untilShown(second, serving);
      await untilShown(first, serving);
      for (const { service } of all) await untilReady(service);
      for (const { api } of serving) {
        expect(new Set(await names(api))).to.deep.equal(new Set(['kept', 'new']));
        for (const { _id } of lost) expect((await api.send('GET', `/business/${_id}`)).status).to.equal(404);
      }
      for (const served of all) expect(losses(served)).to.equal(1);
      expect((await operate({}, 'projections', 'verify')).code).to.equal(0);
      const verified = await operate({}, 'log', 'verify');
      expect(verified.stdout, verified.stderr).to.include('every chain intact');
    });

  describe('in EventStoreDB', () => {
    let double: EventStoreDbDouble;
    let env: Readonly<Record<string, string>>;

    beforeEach(async () => {
      double = await startDouble();
      env = { EVENTSTOREDB_URL: double.connectionString };
    });
    afterEach(() => double.close());

    /** Puts the log back, as a restored directory of its server does. */
    const putBack = async (count: number): Promise<void> => {
      double.node.kill();
      double.log.restore(count);
      await double.node.restart();
    };

    it('takes no write while its rows show more than it holds, until they are made anew from it', async () => {
      const projecting = await start(env);
      const reading = await start({ ...env, API_ONLY: 'true' });
      const kept = await create(projecting.api, 'kept');
      const count = double.log.records.length;
      for (const name of ['one', 'two', 'three']) await create(reading.api, name);
      await putBack(count);
      for (const { api } of [reading, projecting]) {
        const refused = await api.send('POST', '/business', { name: 'new' });
        expect([refused.status, refused.headers.has('Retry-After')], await refused.text()).to.deep.equal([503, true]);
        expect((await api.send('GET', '/business')).status).to.equal(503);
        expect((await api.send('GET', `/business/${kept._id}`)).status).to.equal(200);
      }
      for (const served of [reading, projecting]) {
        expect((await readinessOf(served.service)).status).to.equal(503);
        expect(losses(served)).to.equal(1);
      }
      // not one of the writes above has come into the log
      expect(double.log.records).to.have.length(count);
      const rebuilt = await operate(env, 'projections', 'rebuild', '--from-scratch');
      expect(rebuilt.code, rebuilt.stderr).to.equal(0);
      for (const { service } of [reading, projecting]) await untilReady(service);
      await untilShown(reading, [reading, projecting]);
      expect(new Set(await names(reading.api))).to.deep.equal(new Set(['kept', 'new']));
    });

    it('that is whole is not taken for one, where only its rows were put back: they are written again', async () => {
      const projecting = await start(env);
      const reading = await start({ ...env, API_ONLY: 'true' });
      const all = [projecting, reading];
      const written = [await create(projecting.api, 'kept')];
      await database.copy();
      for (const { service } of all) await untilReady(service);
      for (const name of ['one', 'two', 'three']) written.push(await create(reading.api, name));
      await database.promote();
      for (const served of all) {
        const { api } = served;
        await untilShown(served, all);
        expect(new Set(await names(api))).to.deep.equal(new Set(['kept', 'one', 'two', 'three', 'new']));
        for (const { _id } of written) expect((await api.send('GET', `/business/${_id}`)).status).to.equal(200);
      }
      for (const served of all) {
        await untilReady(served.service);
        expect(losses(served)).to.equal(0);
      }
    });
  });
});
