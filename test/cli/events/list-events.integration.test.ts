import { expect } from 'chai';
import { either as E } from 'fp-ts';
import pg from 'pg';
import type { StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { makePostgresEventStore } from '../../../src/infrastructure/postgres/event-log/postgres-event-store.js';
import { append, created, deleted, renamed } from '../../projections/appending.js';
import { startEmbeddedStack } from '../../support/composed-stack.js';
import { runOperator, startOperator } from '../../support/operator.js';
import { freshDatabase } from '../../support/postgres.js';
import { projectLog } from '../../support/projected-log.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const idAt = (index: number): string => `0198f000-0000-7000-8000-00000000000${index}`;
const streamAt = (index: number): StreamName => `business-${idAt(index)}`;

const linesOf = (text: string): number => text.split('\n').length - 1;

describe('the command that lists events', function () {
  this.timeout(300_000);

  let connectionString: string;
  let env: Readonly<Record<string, string>>;

  before(async () => {
    connectionString = await freshDatabase();
    env = { DATABASE_URL: connectionString };
    await projectLog(connectionString, async (store) => {
      await append(store, streamAt(1), 0n, created('One'), renamed('Uno'));
      return append(store, streamAt(2), 0n, created('Two', { parent: idAt(1) }), deleted);
    });
  });

  const run = (...args: ReadonlyArray<string>) => runOperator(['events', ...args], { env });

  const indexes = async (...args: ReadonlyArray<string>): Promise<ReadonlyArray<unknown>> => {
    const { stdout, stderr, code } = await run(...args, '--json');
    expect([code, stderr]).to.deep.equal([0, '']);
    const lines = stdout.split('\n').slice(0, -1);
    return lines.map((line) => (JSON.parse(line) as { readonly index: number }).index);
  };

  it('shows them as a table, and says whether there are more', async () => {
    const all = await run();
    expect([all.code, all.stderr]).to.deep.equal([0, '4 events\n']);
    const [head, first, ...rest] = all.stdout.split('\n');
    expect(head).to.match(/^ {3}index {2}at \(UTC\) +user +what happened +to$/);
    expect(first).to.equal(
      `       0  2026-01-02T03:04:05Z  alice         business created                Business ${idAt(1)}`,
    );
    expect(rest).to.have.lengthOf(4);
    expect((await run('--limit', '3')).stderr).to.equal('3 events; there are more: --after 2\n');
    expect((await run('--user', 'nobody')).stderr).to.equal('no event\n');
  });

  it('takes the filters, pages and orders of the API', async () => {
    expect(await indexes()).to.deep.equal([0, 1, 2, 3]);
    expect(await indexes('--entity', idAt(2))).to.deep.equal([2, 3]);
    expect(await indexes('--entity-type', 'Business', '--name', 'BusinessCreated')).to.deep.equal([0, 2]);
    expect(await indexes('--field', 'parent')).to.deep.equal([2]);
    expect(await indexes('--ref', idAt(1))).to.deep.equal([2]);
    expect(await indexes('--user', 'alice', '--since', '2026-01-02T03:04:05Z', '--after', '1')).to.deep.equal([2, 3]);
    expect(await indexes('--until', '2026-01-02T03:04:05Z')).to.deep.equal([]);
    expect(await indexes('--order', 'desc', '--limit', '2')).to.deep.equal([3, 2]);
  });

  it('finds words of a reason and values of a record, and shows what each event changed', async () => {
    expect(await indexes('--reason', 'nothing')).to.deep.equal([]);
    expect(await indexes('--entity', idAt(1), '--value', 'Uno')).to.deep.equal([1]);
    const { stdout } = await run('--entity', idAt(1), '--diff', '--json', '--order', 'desc');
    const shown = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { readonly diff: unknown }).diff);
    expect(shown).to.deep.equal([
      [{ path: '/name', before: 'One', after: 'Uno' }],
      [{ path: '/name', before: null, after: 'One' }],
    ]);
    const table = await run('--entity', idAt(1), '--diff', '--csv', '--limit', '1');
    expect(table.stdout).to.match(/^[^\r]*,_id,diff\r\n0,.*""after"":""One""\}\]"\r\n$/);
  });

  it('gives the CSV of the API', async () => {
    const { stdout, stderr, code } = await run('--csv', '--limit', '1');
    expect([code, stderr]).to.deep.equal([0, '']);
    const [header, one, ...rest] = stdout.split('\r\n');
    expect(header).to.equal('index,at,user,type,message,entityType,entity,revision,name,refs,reason,data,hash,_id');
    expect(one).to.match(/^0,2026-01-02T03:04:05.678Z,alice,created,business created,Business,/);
    expect(rest).to.deep.equal(['']);
    expect((await run('--csv', '--bom', '--limit', '1')).stdout).to.equal(`\ufeff${stdout}`);
  });

  it('refuses what makes no sense, with 2', async () => {
    const wrong = [
      ['--json', '--csv'],
      ['--bom'],
      ['--follow', '--order', 'desc'],
      ['--follow', '--limit', '1'],
      ['--follow', '--until', '2026-01-02T03:04:05Z'],
      ['--since', 'yesterday'],
      ['--limit', '0'],
      ['--reason', '!'],
      ['--value', 'x'],
      ['--diff', '--json'],
      ['--diff', '--entity', 'x'],
      ['--diff', '--entity', 'x', '--json', '--follow'],
      ['--after', '-1'],
      ['--order', 'up'],
    ];
    for (const args of wrong) {
      const { code, stdout } = await run(...args);
      expect([args, code, stdout]).to.deep.equal([args, 2, '']);
    }
  });

  it('says on standard error what the ledger lacks of the log while no service runs', async () => {
    const opened = await makePostgresEventStore({
      runtime: systemRuntime,
      connectionString,
      onConnectionEvent: () => undefined,
    });
    if (E.isLeft(opened)) throw opened.left;
    await append(opened.right, streamAt(3), 0n, created('Three'));
    await opened.right.close();
    const { code, stdout, stderr } = await run('--json');
    expect([code, stdout.split('\n').length]).to.deep.equal([0, 5]);
    expect(stderr).to.equal(
      'not in the ledger yet: 1 event of the log; no service is running that adds what is missing\n',
    );
  });

  it('follows what a running service adds, until it is interrupted', async () => {
    const following = await startOperator(['events', '--follow', '--json', '--after', '2'], { env });
    await following.stdout.until((text) => linesOf(text) >= 1);
    const stack = await startEmbeddedStack({ DATABASE_URL: connectionString });
    expect(linesOf(await following.stdout.until((text) => linesOf(text) >= 2))).to.equal(2);
    await stack.stop();
    following.child.kill('SIGINT');
    const { code, stdout } = await following.done;
    expect(code).to.equal(0);
    const found = stdout.split('\n').slice(0, -1);
    expect(found.map((line) => (JSON.parse(line) as { readonly index: number }).index)).to.deep.equal([3, 4]);
  });

  it('follows on when the ledger could not be read for a while, and ends with 1 where it cannot be read at first', async () => {
    const database = new pg.Client({ connectionString });
    await database.connect();
    const rename = (from: string, to: string) => database.query(`alter view read_model.${from} rename to ${to}`);
    const following = await startOperator(['events', '--follow', '--json'], { env });
    expect(linesOf(await following.stdout.until((text) => linesOf(text) >= 5))).to.equal(5);
    await rename('ledger', 'away');
    await following.stderr.until((said) => said !== '');
    const atFirst = await run('--follow', '--json');
    await rename('away', 'ledger');
    await database.end();
    await projectLog(connectionString, (store) => append(store, streamAt(4), 0n, created('Four')));
    expect(linesOf(await following.stdout.until((text) => linesOf(text) >= 6))).to.equal(6);
    following.child.kill('SIGINT');
    const { code, stderr } = await following.done;
    const trouble = 'the database of the read models reports an error: relation "read_model.ledger" does not exist';
    expect([code, stderr]).to.deep.equal([0, `${trouble}; trying again\n`]);
    expect(atFirst).to.deep.equal({ code: 1, stdout: '', stderr: `${trouble}\n` });
    const beyond = await run('--follow', '--after', '1000', '--json');
    expect(beyond).to.deep.equal({ code: 1, stdout: '', stderr: 'there is no event 1000 in the ledger\n' });
  });

  it('says how to make the ledger where there is none', async () => {
    const connectionString = await freshDatabase();
    const env = { DATABASE_URL: connectionString };
    const before = await runOperator(['events'], { env });
    expect([before.code, before.stderr]).to.deep.equal([
      1,
      'the event log cannot be opened: this database has none yet; a service that starts makes it, and so does `ops migrate`\n',
    ]);
    const opened = await makePostgresEventStore({ runtime: systemRuntime, connectionString });
    if (E.isRight(opened)) await opened.right.close();
    const { code, stderr } = await runOperator(['events'], { env });
    expect(code).to.equal(1);
    expect(stderr).to.include('there is no ledger yet');
  });
});
