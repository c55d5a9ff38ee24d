import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { makeApi } from '../support/api.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { type ServiceProcess, startService, tokenFor } from '../support/service-process.js';

type Shown = { readonly _id: string; readonly revision: number };

/** A process that stood still does not know what others have answered meanwhile. */
describe('an API that was frozen while nobody projects', function () {
  this.timeout(startingPostgres + 120_000);
  const services: Array<ServiceProcess> = [];
  let dataDir: string;

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'frozen-'));
  });

  after(async () => {
    for (const service of services) service.kill('SIGKILL');
    await Promise.all(services.map(({ exited }) => exited));
    await rm(dataDir, { recursive: true });
  });

  it('shows by id what another one has acknowledged, from its first answer on', async () => {
    const databaseUrl = await freshDatabase();
    const token = await tokenFor('admin', 'alice');
    const start = async (env: Readonly<Record<string, string>>): Promise<ServiceProcess> => {
      const service = await startService({ dataDir, env: { DATABASE_URL: databaseUrl, ...env } });
      services.push(service);
      return service;
    };
    const projector = await start({ PROJECTOR_ONLY: 'true' });
    const [writing, freezing] = [await start({ API_ONLY: 'true' }), await start({ API_ONLY: 'true' })];
    const [writer, reader] = [makeApi(writing.address, token), makeApi(freezing.address, token)];
    const { _id } = await writer.json<Shown>('POST', '/business', { name: 'Acme' });
    await reader.json<Shown>('GET', `/business/${_id}`);
    projector.kill('SIGSTOP');
    for (let revision = 1; revision <= 3; revision += 1) {
      freezing.kill('SIGSTOP');
      const changed = await writer.send('PUT', `/business/${_id}`, { city: `city ${revision}` });
      expect([changed.status, changed.headers.get('X-Projected')]).to.deep.equal([200, 'false']);
      const asked = reader.send('GET', `/business/${_id}`);
      freezing.kill('SIGCONT');
      const answered = await asked;
      expect([answered.status, ((await answered.json()) as Shown).revision]).to.deep.equal([200, revision]);
    }
  });
});
