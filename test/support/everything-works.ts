import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { makeApi } from './api.js';
import { runOperator } from './operator.js';
import { startService, tokenFor } from './service-process.js';

/** What an operator does to a log and its rows, by every way to Postgres that a command has. */
const COMMANDS = [
  'migrate',
  'projections status',
  'projections rebuild',
  'projections verify',
  'projections rollback',
  'events',
  'log export',
  'log verify',
  'files verify',
];

/** A service with these settings takes every kind of request, and so does each of `COMMANDS` beside it. */
export const everythingWorks = async (
  dataDir: string,
  env: Readonly<Record<string, string>>,
  run: typeof runOperator = runOperator,
): Promise<void> => {
  const service = await startService({ dataDir, env });
  try {
    const api = makeApi(service.address, await tokenFor('admin', 'alice'));
    const name = `Grüße \\ 'x' "y" ${randomBytes(4).toString('hex')}`;
    const created = await api.json<{ readonly _id: string }>('POST', '/business', { name, netWorth: 0.1 });
    const updated = await api.json('PUT', `/business/${created._id}`, { phone: 'a\\b' });
    expect(await api.json('GET', `/business/${created._id}`)).to.deep.equal(updated);
    for (const list of ['', '?q=grüße', `?name=${encodeURIComponent(name)}`, '?sort=-created&limit=1'])
      expect(await api.json('GET', `/business${list}`), list).to.deep.equal([updated]);
    expect(await api.json('GET', `/business/${created._id}/events?diff=true`)).to.have.length(2);
    expect((await fetch(`${service.address}/readyz`)).status).to.equal(200);
    for (const command of COMMANDS) {
      const { code, stdout, stderr } = await run(command.split(' '), { env: { DATA_DIR: dataDir, ...env } });
      expect(code, `${command}: ${stdout}${stderr}`).to.equal(0);
    }
    expect(service.output()).to.not.match(/"level":[56]0/);
  } finally {
    service.kill('SIGTERM');
    await service.exited;
  }
};
