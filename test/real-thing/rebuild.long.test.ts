import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { type Api, makeApi } from '../support/api.js';
import { untilCaughtUp } from '../support/readiness.js';
import { runOperator } from '../support/operator.js';
import { type ServiceProcess, startService, tokenFor } from '../support/service-process.js';
import { together } from '../support/together.js';

type Business = { readonly _id: string; readonly name: string };

const BUSINESSES = 400;
const CLIENTS = 8;

describe('rebuilding beside a running service', function () {
  this.timeout(300_000);
  let dataDir: string;
  let service: ServiceProcess;
  let api: Api;

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'rebuild-'));
    service = await startService({ dataDir });
    api = makeApi(service.address, await tokenFor('admin', 'alice'));
    await together(CLIENTS, async (client) => {
      for (let count = 0; count < BUSINESSES / CLIENTS; count += 1)
        await api.json('POST', '/business', { name: `business ${client} ${count}`, ein: `${client}-${count}` });
    });
  });

  after(async () => {
    service.kill('SIGTERM');
    await service.exited;
    await rm(dataDir, { recursive: true });
  });

  const env = () => ({ env: { DATA_DIR: dataDir } });

  /** Writes and reads what was written until `isOver`; gives what failed or was stale, and how much was done. */
  const load = async (isOver: () => boolean) => {
    const faults: Array<string> = [];
    let rounds = 0;
    /** Those whose change was answered with the promise that lists show it. */
    let promised = 0;
    await together(CLIENTS, async (client) => {
      const { _id } = await api.json<Business>('POST', '/business', { name: `client ${client}` });
      for (let round = 0; !isOver(); round += 1) {
        rounds += 1;
        const name = `client ${client} round ${round}`;
        try {
          const changed = await api.send('PUT', `/business/${_id}`, { name });
          if (changed.status !== 200) throw new Error(`PUT: ${changed.status} ${await changed.text()}`);
          await changed.arrayBuffer();
          const isInLists = changed.headers.get('X-Projected') === null;
          if (isInLists) promised += 1;
          const shown = await api.json<Business>('GET', `/business/${_id}`);
          const listed = await api.json<ReadonlyArray<Business>>('GET', `/business?name=${encodeURIComponent(name)}`);
          if (shown.name !== name) faults.push(`${name}: GET showed ${shown.name}`);
          if (isInLists && listed.length !== 1) faults.push(`${name}: listed ${listed.length} times`);
        } catch (error) {
          faults.push(`${name}: ${String(error)}`);
        }
      }
    });
    return { faults, rounds, promised };
  };

  /** Each generation with its lag, and whether somebody writes it. */
  const shown = async (): Promise<ReadonlyArray<ReadonlyArray<unknown>>> => {
    const { stdout } = await runOperator(['projections', 'status', '--json'], env());
    const lines = stdout
      .trim()
      .split('\n')
      .map(
        (line) => JSON.parse(line) as { projection: string; role: string; lagEvents: number; leader: string | null },
      );
    return lines.map(({ projection, role, lagEvents, leader }) => [projection, role, lagEvents, leader !== null]);
  };

  it('fails no request and shows no stale answer, through switches and back, and leaves each generation level and written', async () => {
    let isOver = false;
    const loading = load(() => isOver);
    const codes: Array<unknown> = [];
    for (const command of ['rebuild', 'rollback', 'rebuild', 'rollback', 'rollback']) {
      const { code, stderr } = await runOperator(['projections', command, 'businesses'], env());
      codes.push(code === 0 ? 0 : stderr);
    }
    isOver = true;
    const { faults, rounds, promised } = await loading;
    expect(codes).to.deep.equal([0, 0, 0, 0, 0]);
    expect(faults).to.deep.equal([]);
    expect(rounds).to.be.greaterThan(100);
    expect(promised).to.be.greaterThan(rounds / 2);

    const expected = [
      ['businesses', 'live', 0, true],
      ['businesses', 'previous', 0, true],
      ['documents', 'live', 0, true],
      ['ledger', 'live', 0, true],
    ];
    // the load has just ended: the last of its events may be on their way into the rows
    await untilCaughtUp(service, 'businesses', 'documents', 'ledger');
    expect(await shown()).to.deep.equal(expected);
  });
});
