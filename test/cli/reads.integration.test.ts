import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import type { StreamName } from '../../src/event-sourcing/recorded-event.js';
import { append, created, renamed } from '../projections/appending.js';
import { runOperator } from '../support/operator.js';
import { freshDatabase } from '../support/postgres.js';
import { projectLog } from '../support/projected-log.js';

const ID = '0198f000-0000-7000-8000-000000000001';
const STREAM: StreamName = `business-${ID}`;

type Row = Readonly<Record<string, unknown>>;

describe('the commands about reads', function () {
  this.timeout(300_000);

  let env: Readonly<Record<string, string>>;
  let directory: string;
  let pool: pg.Pool;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'reads-'));
    const connectionString = await freshDatabase();
    pool = new pg.Pool({ connectionString, max: 1 });
    env = { DATABASE_URL: connectionString, DATA_DIR: directory };
    await projectLog(connectionString, (store) => append(store, STREAM, 0n, created('One'), renamed('Uno')));
  });

  afterEach(async () => {
    await pool.end();
    await rm(directory, { recursive: true });
  });

  const run = (...args: ReadonlyArray<string>) => runOperator(args, { env, input: '' });

  const done = async (...args: ReadonlyArray<string>): Promise<string> => {
    const { code, stdout, stderr } = await run(...args);
    expect(code, stderr).to.equal(0);
    return stdout;
  };

  const rows = async (...args: ReadonlyArray<string>): Promise<ReadonlyArray<Row>> =>
    (await done('reads', '--json', ...args))
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Row);

  /** But for the reads of the record itself. */
  const exports = async (...args: ReadonlyArray<string>): Promise<ReadonlyArray<ReadonlyArray<unknown>>> =>
    (await rows(...args))
      .filter(({ operation }) => operation !== 'ops reads')
      .map(({ user, operation, entityType, entity, what, form, requestId }) => {
        expect(requestId).to.equal(null);
        return [user, operation, entityType, entity, what, form];
      });

  it('show what commands have handed out, to whom, which is recorded itself', async () => {
    await done('log', 'export', '--user', 'ann');
    await done('log', 'export', '--user', 'ann', '--stream', STREAM, '--since', '0', '--without-data');
    await done('events', '--reader', 'bob', '--user', 'planted', '--ref', 'planted', '--limit', '1');
    await done('events', '--reader', 'bob', '--csv', '--order', 'desc');
    expect(await exports()).to.deep.equal([
      ['ann', 'ops log export', null, null, '', 'ndjson'],
      ['ann', 'ops log export', 'Business', ID, `stream=${STREAM}&position=0&without-data=true`, 'ndjson'],
      ['bob', 'ops events', null, null, 'user&ref&limit=1', 'table'],
      ['bob', 'ops events', null, null, 'order=desc', 'csv'],
    ]);
    expect((await exports('--record', `business/${ID}`)).length).to.equal(1);
    expect((await exports('--user', 'bob')).length).to.equal(2);
    expect(await exports('--since', '2999-01-01T00:00:00Z')).to.deep.equal([]);
    const mine = await rows('--user', 'carol', '--reader', 'carol');
    expect(mine.map(({ operation, what, form }) => [operation, what, form])).to.deep.equal([
      ['ops reads', 'user', 'json'],
    ]);
    const { rows: stored } = await pool.query<object>('select * from access.read');
    expect(JSON.stringify(stored)).not.to.contain('planted');
  });

  it('show them as a table for a person, and of comma-separated values', async () => {
    await done('log', 'export', '--user', 'ann');
    const table = await run('reads', '--user', 'ann');
    expect(table.stdout).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2}ann {2}ops log export {2}ndjson\n$/);
    expect(table.stderr).to.equal('1 read\n');
    expect((await run('reads', '--user', 'nobody')).stderr).to.equal('no read\n');
    const [header, line] = (await done('reads', '--user', 'ann', '--csv')).split('\r\n');
    expect(header).to.equal('id,at,user,operation,entityType,entity,what,form,requestId');
    expect(line).to.match(/^1,[^,]+,ann,ops log export,,,,ndjson,$/);
  });

  it('remove old rows, which the record says, and nothing that is still to come', async () => {
    await done('log', 'export', '--user', 'ann');
    await pool.query(`alter table access.read disable trigger never_changed`);
    await pool.query(`update access.read set at = '2020-01-01T00:00:00Z'`);
    await pool.query(`alter table access.read enable always trigger never_changed`);
    const before = '2021-01-01T00:00:00.000Z';
    expect(await done('reads', 'prune', '--before', before, '--user', 'root')).to.equal(
      `removed 1 read before ${before}\n`,
    );
    expect(await exports()).to.deep.equal([['root', 'ops reads prune', null, null, `before=${before}`, '']]);
    expect((await run('reads', 'prune', '--before', '2999-01-01T00:00:00Z')).code).to.equal(2);
    expect((await run('reads', 'prune')).code).to.equal(2);
  });

  it('hand nothing out without a row where reads are required to be recorded, and say why', async () => {
    await done('log', 'export');
    await pool.query('alter table access.read add constraint nothing_new check (false) not valid');
    const lenient = await run('log', 'export');
    expect([lenient.code, lenient.stdout.split('\n').length]).to.deep.equal([0, 3]);
    expect(lenient.stderr).to.contain('the record of reads does not take this one: ');
    env = { ...env, ACCESS_RECORD: 'required' };
    for (const args of [['log', 'export'], ['events', '--json'], ['reads'], ['backup', path.join(directory, 'b')]]) {
      const { code, stdout, stderr } = await run(...args);
      expect([code, stdout], args.join(' ')).to.deep.equal([1, '']);
      expect(stderr).to.contain('nothing was handed out: the record of reads does not take this one: ');
    }
  });

  it('record nothing where that is switched off', async () => {
    env = { ...env, ACCESS_RECORD: 'off' };
    await done('log', 'export');
    await done('events');
    expect(await rows()).to.deep.equal([]);
  });
});
