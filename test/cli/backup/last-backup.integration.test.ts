import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { makeApi } from '../../support/api.js';
import { runOperator } from '../../support/operator.js';
import { type ServiceProcess, startService, tokenFor } from '../../support/service-process.js';
import { rows, runningOperator } from '../../infrastructure/embedded/support/launching.js';

const METRIC = /^backup_last_success_timestamp_seconds(?:\{\})? (\S+)$/m;

describe('the metric of the last backup', function () {
  this.timeout(180_000);
  let directory: string;
  let dataDir: string;
  let service: ServiceProcess;
  let token: string;

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'last-backup-'));
    await chmod(directory, 0o755);
    dataDir = path.join(directory, 'data');
    service = await startService({ dataDir });
    token = await tokenFor('admin', 'alice');
    await makeApi(service.address, token).json('POST', '/business', { name: 'Acme' });
  });

  after(async () => {
    service.kill('SIGTERM');
    await service.exited;
    await rm(directory, { recursive: true });
  });

  const backUp = (name: string) => runOperator(['backup', path.join(directory, name)], { env: { DATA_DIR: dataDir } });

  const lastBackup = async (): Promise<number | undefined> => {
    const scraped = await fetch(`${service.address}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    const body = await scraped.text();
    expect(body).to.include('# TYPE backup_last_success_timestamp_seconds gauge');
    const [, seconds] = METRIC.exec(body) ?? [];
    return seconds === undefined ? undefined : Number(seconds);
  };

  const inDatabase = async (sql: string): Promise<void> => {
    const { connectionString, stop } = await runningOperator(dataDir);
    await rows(connectionString, sql);
    await stop();
  };

  it('has no value before the first backup, and none after one that failed', async () => {
    expect(await lastBackup()).to.equal(undefined);
    await writeFile(path.join(directory, 'a file'), '');
    expect((await backUp('a file')).code).to.equal(1);
    expect(await lastBackup()).to.equal(undefined);
  });

  it('is when the last one was completed, wherever it went', async () => {
    const began = Date.now() / 1000;
    const { code, stderr } = await backUp('one');
    expect(code, stderr).to.equal(0);
    const first = (await lastBackup()) ?? 0;
    expect(first).to.be.within(began - 1, Date.now() / 1000 + 1);
    expect((await backUp('other')).code).to.equal(0);
    expect(await lastBackup()).to.be.greaterThan(first);
  });

  it('is not that of another log whose rows were here', async () => {
    await inDatabase("update backup.newest set log = 'another'");
    expect(await lastBackup()).to.equal(undefined);
  });

  it('stays as it was after a backup whose time cannot be recorded, which says so and does not fail', async () => {
    await inDatabase('alter table backup.newest add constraint nothing_new check (false) not valid');
    const { code, stderr } = await backUp('one');
    expect(code, stderr).to.equal(0);
    expect(stderr).to.match(/the backup is complete, and .* its time could not be recorded \(.*nothing_new.*\)/);
    expect(await lastBackup()).to.equal(undefined);
  });
});
