import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { type Api, makeApi } from '../../support/api.js';
import { startComposed } from '../../support/composed-service.js';
import { encryptedInstallation } from '../../support/encrypted-installation.js';
import { startDouble } from '../../support/eventstoredb-double/double.js';
import { runOperator } from '../../support/operator.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { tokenFor } from '../../support/service-process.js';

type Env = Readonly<Record<string, string>>;

describe('a copy of a log and its keys', function () {
  this.timeout(startingPostgres * 8);
  let dataDir: string;
  /** Of a service whose data is encrypted, and the same without that. */
  let encrypted: Env;
  let plain: Env;

  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'encrypted-copy-'));
    encrypted = await encryptedInstallation(dataDir);
    plain = { ...encrypted, ERASURE: 'false' };
  });

  afterEach(() => rm(dataDir, { recursive: true }));

  const whileServing = async <Result>(env: Env, work: (api: Api) => Promise<Result>): Promise<Result> => {
    const service = await startComposed({ dataDir, env });
    try {
      return await work(makeApi(service.address, await tokenFor('admin', 'alice')));
    } finally {
      await service.stop();
    }
  };

  const create = async (api: Api): Promise<string> => {
    const { _id: id } = await api.json<{ readonly _id: string }>('POST', '/business', { name: 'MARKER' });
    await api.json('POST', `/business/${id}/owner`, { user: 'MARKER' });
    return id;
  };

  const copied = async (env: Env, to: string, ...options: ReadonlyArray<string>): Promise<string> => {
    const { code, stdout, stderr } = await runOperator(['log', 'copy', '--to', to, ...options], { env });
    expect(code, stderr).to.equal(0);
    return stdout;
  };

  const refused = async (env: Env, to: string, ...options: ReadonlyArray<string>) => {
    const { code, stderr } = await runOperator(['log', 'copy', '--to', to, ...options], { env });
    return [code, stderr.trim().split('\n').at(-1)] as const;
  };

  it('is encrypted with --encrypt, as a service does from its beginning, and what was in clear can be erased', async () => {
    const double = await startDouble();
    const to = double.connectionString;
    try {
      const [id, history] = await whileServing(plain, async (api) => {
        const made = await create(api);
        const steps = await copied(encrypted, to, '--encrypt');
        expect(steps).to.include(`--to '${to}' --cut-over --encrypt\n`).and.include('with ERASURE and ERASURE_KEY');
        await api.json('PUT', `/business/${made}`, { name: 'MARKER 2' });
        return [made, await api.json<ReadonlyArray<object>>('GET', `/business/${made}/events?proof=true`)] as const;
      });
      expect(await refused(encrypted, to, '--cut-over')).to.deep.equal([
        1,
        'the data in the target is encrypted, and that in the source is not: give --encrypt, as when the copy was begun',
      ]);
      expect(await copied(encrypted, to, '--cut-over', '--encrypt')).to.include('nothing of it can be erased');
      expect(double.log.records.map(({ data }) => data).join()).not.to.include('MARKER');
      const there = { ...encrypted, EVENTSTOREDB_URL: to };
      await whileServing(there, async (api) => {
        expect(await api.json('GET', `/business/${id}/events?proof=true`)).to.deep.equal(history);
        const erased = await runOperator(['erase', 'run', `business/${id}`, '--basis', 'b', '--yes'], { env: there });
        expect(erased.code, erased.stderr).to.equal(0);
      });
      const verified = await runOperator(['log', 'verify'], { env: there });
      expect(verified.code, verified.stdout + verified.stderr).to.equal(0);
      expect(verified.stdout).to.include('3 events erased');
    } finally {
      double.close();
    }
  });

  it('encrypts in the copy what was written before ERASURE was on', async () => {
    const to = await freshDatabase();
    const id = await whileServing(plain, create);
    await whileServing(encrypted, (api) => api.json('PUT', `/business/${id}`, { name: 'MARKER 2' }));
    await copied(encrypted, to, '--cut-over', '--encrypt');
    const pool = new pg.Pool({ connectionString: to });
    const { rows } = await pool
      .query<{ data: string }>(`select data from event_log.event where stream like 'business-%'`)
      .finally(() => pool.end());
    expect(rows.map(({ data }) => data.slice(0, 14))).to.deep.equal(Array(3).fill('{"$encrypted":'));
    const there = { ...encrypted, DATABASE_URL: to };
    const planned = await runOperator(['erase', 'plan', `business/${id}`, '--json'], { env: there });
    expect(JSON.parse(planned.stdout)).to.deep.include({
      records: [{ stream: `business-${id}`, events: 'all', count: 3, plain: 0 }],
    });
    await whileServing(there, async (api) => {
      expect(await api.json('GET', `/business/${id}`)).to.include({ name: 'MARKER 2' });
    });
  });

  it('is not encrypted by halves, and not without ERASURE', async () => {
    const to = await freshDatabase();
    await whileServing(plain, create);
    expect(await refused(plain, to, '--encrypt')).to.deep.equal([
      2,
      '--encrypt needs ERASURE and ERASURE_KEY, as a service with the copy will have them',
    ]);
    await copied(plain, to);
    expect(await refused(encrypted, to, '--encrypt')).to.deep.equal([
      1,
      'not copied: what the target has already is not encrypted: begin with an empty log',
    ]);
  });

  it('is none any more when data was erased in the source that it has under keys of its own', async () => {
    const to = await freshDatabase();
    const id = await whileServing(encrypted, create);
    await copied(encrypted, to, '--encrypt');
    await whileServing(encrypted, async () => {
      const erased = await runOperator(['erase', 'run', `business/${id}`, '--basis', 'b', '--yes'], { env: encrypted });
      expect(erased.code, erased.stderr).to.equal(0);
    });
    const [code, said] = await refused(encrypted, to, '--cut-over', '--encrypt');
    expect([code, String(said).replace(/, event .* is/, ' is')]).to.deep.equal([
      1,
      `the target is no copy of the source: business-${id}, revision 0 is another there. Where it was erased since, begin with an empty log`,
    ]);
  });

  it('brings the keys of an encrypted log along when it is cut over, there and back', async () => {
    const to = await freshDatabase();
    const there = { ...encrypted, DATABASE_URL: to };
    const [one, other] = await whileServing(encrypted, async (api) => [await create(api), await create(api)] as const);
    await copied(encrypted, to, '--cut-over');
    await whileServing(there, async (api) => {
      expect(await api.json('GET', `/business/${one}`)).to.include({ name: 'MARKER' });
      const erased = await runOperator(['erase', 'run', `business/${one}`, '--basis', 'b', '--yes'], { env: there });
      expect(erased.code, erased.stderr).to.equal(0);
    });
    await copied(there, encrypted['DATABASE_URL'] ?? '', '--cut-over');
    await whileServing(encrypted, async (api) => {
      expect((await api.send('GET', `/business/${one}`)).status).to.equal(404);
      expect(await api.json('GET', `/business/${other}`)).to.include({ name: 'MARKER' });
      const history = await api.json<ReadonlyArray<{ data: object }>>('GET', `/business/${one}/events`);
      expect(history[0]?.data).to.deep.equal({});
    });
  });
});
