import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { makeApi } from '../../support/api.js';
import { type EventStoreDbDouble, startDouble } from '../../support/eventstoredb-double/double.js';
import { runOperator, startOperator } from '../../support/operator.js';
import { startService, tokenFor } from '../../support/service-process.js';

const COUNT = 150;
/** After so many the target answers no more, so that a copy cannot come to its end before it is killed. */
const TAKEN = 40;

/** An export with other positions is the same log. */
const withoutPositions = (exported: string): string => exported.replace(/"position":"\d+",/g, '');

describe('log copy', function () {
  this.timeout(400_000);

  let directory: string;
  let env: Record<string, string>;
  let double: EventStoreDbDouble;
  let admin: string;

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'ops-copy-'));
    env = { DATA_DIR: path.join(directory, 'data') };
    double = await startDouble();
    admin = await tokenFor('admin', 'alice');
  });

  after(async () => {
    double.close();
    await rm(directory, { recursive: true });
  });

  const ours = (): number => double.log.records.filter(({ stream }) => stream.startsWith('business-')).length;

  /** Resolves as soon as so many events of the service are in the target. */
  const untilOurs = (count: number): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (ours() < count) return;
        double.log.onGrowth.delete(look);
        resolve();
      };
      double.log.onGrowth.add(look);
      look();
    });

  it('moves a service from its embedded log to EventStoreDB, cut off and continued, and back', async () => {
    const dataDir = env['DATA_DIR']!;
    const first = await startService({ dataDir });
    const { json } = makeApi(first.address, admin);
    for (let number = 0; number < COUNT; number += 1) await json('POST', '/business', { name: `Business ${number}` });
    const listed = await json('GET', '/business');

    // beside the running service: killed in the middle, then followed to the end
    const to = double.connectionString;
    double.node.faults.batchesEndAfter = TAKEN;
    const killed = await startOperator(['log', 'copy', '--to', to], { env });
    await untilOurs(21);
    killed.child.kill('SIGKILL');
    await killed.done;
    expect(ours()).to.be.within(20, COUNT - 1);
    double.node.faults.batchesEndAfter = undefined;
    const following = await startOperator(['log', 'copy', '--to', to, '--follow'], { env });
    await untilOurs(COUNT);
    await json('POST', '/business', { name: 'The last one' });
    await untilOurs(COUNT + 1);
    following.child.kill('SIGINT');
    const { code, stdout } = await following.done;
    expect(code).to.equal(0);
    expect(stdout).to.include(`the target holds ${COUNT + 1} events in ${COUNT + 1} streams`);
    expect(stdout).to.include(`npx --no-install ops log copy --from 'embedded' --to '${to}' --cut-over`);

    const tooEarly = await runOperator(['log', 'copy', '--to', to, '--cut-over'], { env });
    expect(tooEarly.code).to.equal(1);
    expect(tooEarly.stderr).to.include('stop every process of it first');
    first.kill('SIGTERM');
    await first.exited;

    const before = await runOperator(['log', 'export'], { env });
    const over = await runOperator(['log', 'copy', '--to', to, '--cut-over'], { env });
    expect(over.stdout).to.include('The read models are kept (3 tables moved to the copy)');
    expect(over.code).to.equal(0);
    const moved = { ...env, EVENTSTOREDB_URL: to };
    const after = await runOperator(['log', 'export'], { env: moved });
    expect(withoutPositions(after.stdout)).to.equal(withoutPositions(before.stdout));

    const second = await startService({ dataDir, env: { EVENTSTOREDB_URL: to } });
    const api = makeApi(second.address, admin);
    const all = await api.json<ReadonlyArray<Record<string, unknown>>>('GET', '/business');
    expect(all.slice(0, COUNT)).to.deep.equal(listed);
    expect(all[COUNT]).to.include({ name: 'The last one' });
    await api.json('POST', '/business', { name: 'Made on EventStoreDB' });
    second.kill('SIGTERM');
    await second.exited;

    const back = await runOperator(['log', 'copy', '--to', 'embedded', '--cut-over', '--json'], { env: moved });
    expect(JSON.parse(back.stdout)).to.deep.equal({
      events: COUNT + 2,
      streams: COUNT + 2,
      copied: 1,
      isLevel: true,
      to: 'embedded',
      withoutMac: 0,
    });
    const third = await startService({ dataDir });
    const names = await makeApi(third.address, admin).json<ReadonlyArray<{ name: string }>>('GET', '/business');
    expect(names.slice(-2).map(({ name }) => name)).to.deep.equal(['The last one', 'Made on EventStoreDB']);
    expect(names).to.have.length(COUNT + 2);
    third.kill('SIGTERM');
    await third.exited;
  });

  it('does not claim to have taken read models along where there are none', async () => {
    const elsewhere = { DATA_DIR: path.join(directory, 'elsewhere') };
    const from = ['--from', double.connectionString];
    const over = await runOperator(['log', 'copy', ...from, '--to', 'embedded', '--cut-over'], { env: elsewhere });
    expect(over.code).to.equal(0);
    expect(over.stdout).to.include('There are no read models yet: the service builds them when it starts.');
  });

  it('refuses to copy a log onto itself, and names what is no log', async () => {
    const same = await runOperator(['log', 'copy', '--to', 'embedded'], { env });
    expect(same.code).to.equal(2);
    expect((await runOperator(['log', 'copy', '--to', 'http://host'], { env })).code).to.equal(2);
  });
});
