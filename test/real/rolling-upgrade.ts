import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { runOperator } from '../support/operator.js';
import { freshDatabase } from '../support/postgres.js';
import { type ServiceProcess, startService, tokenFor } from '../support/service-process.js';
import { writeAllTheTime } from './acknowledged-writes.js';
import { twoVersions } from './two-versions.js';

const ROUNDS = Number(process.env['ROUNDS'] ?? 10);
const PROCESSES = 4;
const CLIENTS = 3;
/** Longer than a process may write rows without saying that it lives. */
const FROZEN_MS = 4_000;
/** How long the processes that are left may take until one of them writes every read model, ms. */
const TAKEN_OVER_MS = 30_000;
const READ_MODELS = ['businesses', 'documents', 'ledger'];

type Versions = Awaited<ReturnType<typeof twoVersions>>;

describe(`a rolling upgrade of ${PROCESSES} processes between two versions, ${ROUNDS} times`, function () {
  this.timeout(600_000);
  let versions: Versions;
  let token: string;

  before(async () => {
    versions = await twoVersions();
    token = await tokenFor('admin', 'alice');
  });

  after(() => versions.remove());

  const textOf = async (address: string, place: string): Promise<string> => {
    const headers = { Authorization: `Bearer ${token}` };
    return (await fetch(`${address}${place}`, { headers, signal: AbortSignal.timeout(10_000) })).text();
  };

  /** How many of these processes write each read model. */
  const writers = async (alive: ReadonlyArray<ServiceProcess>): Promise<ReadonlyArray<number>> => {
    const scraped = await Promise.all(alive.map(({ address }) => textOf(address, '/metrics')));
    return READ_MODELS.map(
      (name) => scraped.filter((text) => text.includes(`projection_up{read_model="${name}"} 1`)).length,
    );
  };

  const isOneEach = (counts: ReadonlyArray<number>): boolean => counts.every((count) => count === 1);

  const upgrade = async (round: number): Promise<string> => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'rolling-upgrade-'));
    const env = { DATABASE_URL: await freshDatabase() };
    const start = (build: string): Promise<ServiceProcess> =>
      startService({ dataDir, env, program: [path.join(build, 'src/main.js')] });
    const alive: Array<ServiceProcess> = [];
    const end = async (service: ServiceProcess, signal: NodeJS.Signals): Promise<void> => {
      alive.splice(alive.indexOf(service), 1);
      service.kill(signal);
      await service.exited;
    };
    // every second round goes back to the old version
    const [from, to] = round % 2 === 0 ? [versions.old, versions.next] : [versions.next, versions.old];
    const writes = writeAllTheTime(CLIENTS, () => alive.map(({ address }) => address), token);
    try {
      for (let count = 0; count < PROCESSES; count += 1) alive.push(await start(from));
      for (const [step, replaced] of [...alive].entries()) {
        const isStartedFirst = (round + step) % 3 !== 0;
        if (isStartedFirst) alive.push(await start(to));
        const frozen = alive[(round + 2 * step) % alive.length];
        frozen?.kill('SIGSTOP');
        await delay(FROZEN_MS);
        frozen?.kill('SIGCONT');
        await end(replaced, (round + step) % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
        if (!isStartedFirst) alive.push(await start(to));
      }
      // the last process of the new version has to write all rows by itself
      for (const service of alive.slice(0, -1)) await end(service, 'SIGKILL');
      expect(await eventually(() => writers(alive), isOneEach, TAKEN_OVER_MS)).to.deep.equal([1, 1, 1]);
      while (alive.length < PROCESSES) alive.push(await start(to));
      await writes.stop();

      expect(await eventually(() => writers(alive), isOneEach, TAKEN_OVER_MS)).to.deep.equal([1, 1, 1]);
      const { acknowledged } = writes;
      for (const { address } of alive) {
        const names = async (): Promise<ReadonlyMap<string, string>> => {
          // reason: the list of businesses is an array of them
          const all = JSON.parse(await textOf(address, '/api/v1/business')) as ReadonlyArray<
            Record<'_id' | 'name', string>
          >;
          return new Map(all.map(({ _id, name }) => [_id, name]));
        };
        const lost = (listed: ReadonlyMap<string, string>) =>
          [...acknowledged].filter(([id, name]) => listed.get(id) !== name);
        const listed = await eventually(names, (found) => lost(found).length === 0, TAKEN_OVER_MS);
        expect(lost(listed), `what ${address} lists of what was acknowledged`).to.deep.equal([]);
        for (const [id, name] of [...acknowledged].slice(-20))
          expect(await textOf(address, `/api/v1/business/${id}`), 'by id').to.include(JSON.stringify(name));
        expect(await textOf(address, '/readyz'))
          .to.include('"ready"')
          .and.not.to.include('nobody writes');
      }
      const program = [path.join(to, 'src/cli/ops.js')];
      const ops = { env: { ...env, DATA_DIR: dataDir }, program };
      for (const command of [
        ['projections', 'verify'],
        ['log', 'verify'],
      ]) {
        const ran = await runOperator(command, ops);
        expect(ran.code, `${command.join(' ')}: ${ran.stdout}${ran.stderr}`).to.equal(0);
      }
      return `${acknowledged.size} businesses, all readable; ${writes.unprojected()} answers with X-Projected: false`;
    } finally {
      writes.abandon();
      for (const service of alive) service.kill('SIGKILL');
      await Promise.all(alive.map(({ exited }) => exited));
      await rm(dataDir, { recursive: true, force: true });
    }
  };

  for (let round = 0; round < ROUNDS; round += 1)
    it(`round ${round + 1}: nothing is lost, the rows verify, and one process writes each read model`, async () => {
      console.log(`      ${await upgrade(round)}`);
    });
});
