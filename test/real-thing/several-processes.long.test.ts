import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { makeApi } from '../support/api.js';
import { freshDatabase } from '../support/postgres.js';
import { untilMetrics } from '../support/readiness.js';
import { type ServiceProcess, startService, tokenFor } from '../support/service-process.js';

type Named = { readonly _id: string; readonly name: string };

/** What the clients saw. */
type Seen = {
  readonly acknowledged: Array<string>;
  readonly stale: Array<string>;
  unprojected: number;
  refused: number;
};

describe('several processes on one database', function () {
  this.timeout(300_000);
  const services: Array<ServiceProcess> = [];
  let dataDir: string;
  let databaseUrl: string;
  let token: string;

  const start = async (env: Readonly<Record<string, string>>): Promise<ServiceProcess> => {
    const service = await startService({ dataDir, env: { DATABASE_URL: databaseUrl, ...env } });
    services.push(service);
    return service;
  };

  const leaderOf = async (candidates: ReadonlyArray<ServiceProcess>): Promise<ServiceProcess> => {
    const up = (text: string): boolean => text.includes('projection_up{read_model="businesses"} 1');
    return Promise.any(candidates.map((candidate) => untilMetrics(candidate, up).then(() => candidate)));
  };

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'several-'));
    databaseUrl = await freshDatabase();
    token = await tokenFor('admin', 'alice');
  });

  after(async () => {
    for (const service of services) service.kill('SIGKILL');
    await Promise.all(services.map(({ exited }) => exited));
    await rm(dataDir, { recursive: true });
  });

  it('lose, double and hide nothing while their projector is killed, and another one paused and woken', async () => {
    const apis = [];
    for (let count = 0; count < 3; count++) apis.push(await start({ API_ONLY: 'true' }));
    const projectors = [await start({ PROJECTOR_ONLY: 'true' }), await start({ PROJECTOR_ONLY: 'true' })];
    const clients = apis.map(({ address }) => makeApi(address, token));
    const seen: Seen = { acknowledged: [], stale: [], unprojected: 0, refused: 0 };
    const emitter = new EventEmitter();
    let isOver = false;

    /** Writes at one replica and reads at the next one, by id and in the list. */
    const work = async (client: number): Promise<void> => {
      for (let round = 0; !isOver; round++) {
        const [writer, reader] = [clients[client % 3]!, clients[(client + 1) % 3]!];
        const name = `client ${client} round ${round}`;
        const written = await writer.send('POST', '/business', { name });
        if (written.status !== 200) {
          seen.refused += 1;
          continue;
        }
        const { _id } = (await written.json()) as Named; // reason: POST answers a business
        seen.acknowledged.push(_id);
        emitter.emit('acknowledged');
        const isProjected = written.headers.get('X-Projected') !== 'false';
        if (!isProjected) seen.unprojected += 1;
        const byId = await reader.send('GET', `/business/${_id}`);
        if (byId.status !== 200) seen.stale.push(`${name}: by id ${byId.status}`);
        const listed = await reader.json<ReadonlyArray<Named>>('GET', `/business?name=${encodeURIComponent(name)}`);
        if (isProjected && listed.length !== 1) seen.stale.push(`${name}: in the list ${listed.length}`);
      }
    };
    const working = Promise.all(Array.from({ length: 6 }, (_, client) => work(client)));
    const beyond = async (count: number): Promise<void> => {
      const enough = seen.acknowledged.length + count;
      while (seen.acknowledged.length < enough) await once(emitter, 'acknowledged');
    };

    await beyond(60);
    const killed = await leaderOf(projectors);
    killed.kill('SIGKILL');
    const killedAt = performance.now();
    const standby = projectors.filter((projector) => projector !== killed);
    const successor = await leaderOf(standby);
    const outage = performance.now() - killedAt;
    await beyond(60);

    const spare = await start({ PROJECTOR_ONLY: 'true' });
    successor.kill('SIGSTOP');
    await leaderOf([spare]);
    successor.kill('SIGCONT');
    await beyond(60);
    isOver = true;
    await working;

    const stored = await clients[0]!.json<ReadonlyArray<Named>>('GET', '/business');
    const ids = stored.map(({ _id }) => _id);
    expect(outage).to.be.lessThan(10_000);
    expect(seen.refused).to.equal(0);
    expect(seen.stale).to.deep.equal([]);
    expect(seen.acknowledged.filter((id) => !ids.includes(id))).to.deep.equal([]);
    expect(new Set(ids).size).to.equal(ids.length);
    expect(ids.length).to.equal(seen.acknowledged.length);
  });
});
