import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { categoriesOf, encryptionRulesOf, registry } from '../../src/entities/registry.js';
import { openStores } from '../../src/infrastructure/open-stores.js';
import { append, renamed, sealed } from '../projections/appending.js';
import { makeApi } from '../support/api.js';
import { untilMetrics, valueIn } from '../support/readiness.js';
import { eventually } from '../support/eventually.js';
import { runOperator } from '../support/operator.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { type ComposedService, startComposed } from '../support/composed-service.js';
import { tokenFor } from '../support/service-process.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

type Named = { readonly _id: string; readonly name: string };

const NOT_ENCRYPTED = { erasure: false, erasureKeys: undefined, eventKeys: undefined };

describe('an event that no process can read, before and after it is skipped', function () {
  this.timeout(startingPostgres * 3);
  let dataDir: string;
  let env: Record<string, string>;
  let services: ReadonlyArray<ComposedService>;

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'skipped-'));
    env = { DATABASE_URL: await freshDatabase(), DATA_DIR: dataDir };
    services = [
      await startComposed({ dataDir, env }),
      await startComposed({ dataDir, env: { ...env, API_ONLY: 'true' } }),
    ];
  });

  after(async () => {
    await Promise.all(services.map(({ stop }) => stop()));
    await rm(dataDir, { recursive: true });
  });

  const appendUnreadable = async (id: string): Promise<void> => {
    const config = { dataDir, databaseUrl: env['DATABASE_URL'], eventStoreDbUrl: undefined, ...NOT_ENCRYPTED };
    const opened = await openStores(config, {
      runtime: systemRuntime,
      processKind: 'operator',
      categories: categoriesOf(registry),
      rules: encryptionRulesOf(registry),
      onPostgresLog: () => undefined,
      onConnectionEvent: () => undefined,
    });
    if (E.isLeft(opened)) throw new Error(opened.left.message);
    const stream = `business-${id}` as const;
    await append(opened.right.store, stream, 1n, sealed(renamed('Future'), stream, 1n, 99));
    await opened.right.close();
  };

  it('leaves the row to GET, and then nothing behind: in every process commands and earlier states go on', async () => {
    const token = await tokenFor('admin', 'alice');
    const apis = services.map(({ address }) => makeApi(address, token));
    const [first] = apis;
    const { _id: id } = (await first?.json<Named>('POST', '/business', { name: 'Acme' })) ?? { _id: '' };
    await appendUnreadable(id);
    const isParked = (text: string): boolean =>
      valueIn(text, 'projection_parked_entities{read_model="businesses"}') === 1;
    for (const service of services) await untilMetrics(service, isParked);
    const { stdout: parked } = await runOperator(['projections', 'parked', 'list'], { env });
    expect(parked).to.include(`business-${id} waits at revision 1`);

    const statuses = (method: string, place: string, body?: unknown): Promise<ReadonlyArray<number>> =>
      Promise.all(apis.map(async (api) => (await api.send(method, place, body)).status));
    const place = `/business/${id}`;
    expect(await statuses('GET', place)).to.deep.equal([200, 200]);
    expect(await first?.json<Named>('GET', place)).to.include({ name: 'Acme' });
    expect(await statuses('PUT', place, { name: 'Bolt' })).to.deep.equal([500, 500]);

    const skip = ['projections', 'parked', 'skip', `business-${id}`, '--reason', 'unreadable', '--user', 'olivia'];
    expect((await runOperator(skip, { env })).code).to.equal(0);
    for (const api of apis) {
      const name = `changed at ${apis.indexOf(api)}`;
      const put = () => api.send('PUT', place, { name });
      // polls: other processes look for decisions once a second
      expect((await eventually(put, ({ status }) => status === 200)).status).to.equal(200);
      expect(await api.json<Named>('GET', `${place}?revision=1`)).to.include({ name: 'Acme' });
    }
    expect(await first?.json<Named>('GET', place)).to.include({ name: 'changed at 1' });
    const verified = await runOperator(['projections', 'verify'], { env });
    expect(verified.code, verified.stdout + verified.stderr).to.equal(0);
  });
});
