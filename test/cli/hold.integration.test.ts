import { expect } from 'chai';
import { append, created } from '../projections/appending.js';
import { businessStream } from '../support/chained-events.js';
import { runOperator } from '../support/operator.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { projectLog } from '../support/projected-log.js';

const RECORD = businessStream(1).replace('-', '/');
const UNKNOWN = businessStream(2).replace('-', '/');
const DAY = /\d{4}-\d\d-\d\dT[\d:.]+Z/;

describe('the commands about records that must not be erased', function () {
  this.timeout(200_000);
  let env: Readonly<Record<string, string>>;

  before(async function () {
    this.timeout(startingPostgres * 2);
    const connectionString = await freshDatabase();
    env = { DATABASE_URL: connectionString, EVENT_KEY: 'an event key of at least 32 bytes' };
    await projectLog(connectionString, (store) => append(store, businessStream(1), 0n, created('Acme')));
  });

  const run = async (...args: ReadonlyArray<string>) => {
    const { code, stdout, stderr } = await runOperator(['hold', ...args], { env });
    return { code, said: (stdout + stderr).replace(DAY, 'TIME') };
  };
  const by = (reason: string): ReadonlyArray<string> => ['--reason', reason, '--user', 'olga'];

  it('hold a record until it is released, each of them once', async () => {
    expect(await run('list')).to.deep.equal({ code: 0, said: 'no record is held\n' });
    expect(await run('release', RECORD, ...by('settled'))).to.deep.equal({
      code: 0,
      said: `${RECORD} is not held: nothing was recorded\n`,
    });
    expect(await run('add', RECORD, ...by('a claim'))).to.deep.equal({
      code: 0,
      said: `held: ${RECORD} is not erased until it is released\n`,
    });
    const held = 'since TIME by olga, because: a claim';
    expect(await run('add', RECORD, ...by('another claim'))).to.deep.equal({
      code: 0,
      said: `${RECORD} is held already, ${held}: nothing was recorded\n`,
    });
    expect(await run()).to.deep.equal({ code: 0, said: `${RECORD}: held ${held}\n` });
    expect(await run('release', RECORD, ...by('settled'))).to.deep.equal({
      code: 0,
      said: `released: ${RECORD} may be erased\n`,
    });
    expect(await run('list', '--json')).to.deep.equal({ code: 0, said: '' });
    const { stdout } = await runOperator(['log', 'export', '--stream', 'operations-erasure'], { env });
    expect([...stdout.matchAll(/"type":"(\w+)"/g)].map(([, type]) => type)).to.deep.equal([
      'RecordHeld',
      'RecordReleased',
    ]);
  });

  it('refuse a record that the log does not have, and what is none', async () => {
    expect(await run('add', UNKNOWN, ...by('a claim'))).to.deep.equal({
      code: 1,
      said: `not recorded: the log has no ${UNKNOWN}\n`,
    });
    expect((await run('add', 'owner/alice', ...by('a claim'))).code).to.equal(2);
    expect((await run('add', RECORD)).code).to.equal(2);
  });

  it('record what log verify takes for a decision', async () => {
    await run('add', RECORD, ...by('a claim'));
    const { code, stdout } = await runOperator(['log', 'verify', 'operations-erasure', '--json'], { env });
    expect([code, stdout.includes('"faults":[]')], stdout).to.deep.equal([0, true]);
  });
});
