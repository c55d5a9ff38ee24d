import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { type Api, makeApi } from '../../support/api.js';
import { type ComposedService, startComposed } from '../../support/composed-service.js';
import { encryptedInstallation } from '../../support/encrypted-installation.js';
import { eventually } from '../../support/eventually.js';
import { documentFilesIn } from '../../support/files-below.js';
import { type Ran, runOperator, startOperator } from '../../support/operator.js';
import { untilConnections } from '../../support/server-activity.js';
import { tokenFor } from '../../support/service-process.js';
import { untilBlocked } from '../../support/until-blocked.js';
import { uploadDocument } from '../../support/upload-document.js';

type Shown = { readonly _id: string };
type Event = { readonly name: string; readonly data: object };
type Listed = { readonly records: ReadonlyArray<object>; readonly isComplete: boolean };
type Running = Awaited<ReturnType<typeof startOperator>>;

describe('an erasure that is killed', function () {
  this.timeout(900_000); // each one waits until no process has the keys any more
  let dataDir: string;
  let env: Record<string, string>;
  let pool: pg.Pool;
  let service: ComposedService;
  let api: Api;

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'killed-erasure-'));
    env = await encryptedInstallation(dataDir);
    pool = new pg.Pool({ connectionString: env['DATABASE_URL'], max: 4 });
    service = await startComposed({ dataDir, env });
    api = makeApi(service.address, await tokenFor('admin', 'alice'));
  });

  after(async () => {
    await service.stop();
    await pool.end();
    await rm(dataDir, { recursive: true });
  });

  const create = async (): Promise<string> =>
    (await api.json<Shown>('POST', '/business', { name: 'Shared', city: 'Ulm' }))._id;

  const argsOf = (subject: string): ReadonlyArray<string> => [
    ...['erase', 'run', subject, '--basis', `ticket of ${subject}`, '--yes'],
  ];

  const erase = (subject: string): Promise<Ran> => runOperator(argsOf(subject), { env });

  const listed = async (): Promise<ReadonlyArray<Listed>> =>
    (await runOperator(['erase', 'list', '--json'], { env })).stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Listed); // reason: what docs/ops-json.md says of it

  const one = async (text: string): Promise<string> => {
    const { rows } = await pool.query<{ one: string }>(text);
    return rows[0]?.one ?? '';
  };
  const version = (): Promise<string> => one('select version::text as one from erasure.key_tree');
  const ledger = (): Promise<string> =>
    one(
      `select 'read_model.' || table_name as one from read_model.instance where projection = 'ledger' and role = 'live'`,
    );
  const begun = (): Promise<string> => one(`select count(*) as one from event_log.event where type = 'ErasureBegun'`);
  const files = async (): Promise<number> => (await documentFilesIn(dataDir)).length;

  /** A session that holds a lock until it is let go. */
  const holding = async (text: string): Promise<() => Promise<void>> => {
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query(text);
    let released: Promise<void> | undefined;
    return () => (released ??= holder.query('rollback').then(() => holder.release()));
  };

  const untilInLedger = async (entity: string, events: number): Promise<void> => {
    const text = `select from ${await ledger()} where entity = $1`;
    // polls: no answer waits for the ledger alone
    const found = await eventually(
      async () => (await pool.query(text, [entity])).rowCount,
      (count) => count === events,
    );
    expect(found).to.equal(events);
  };

  /** What the server has begun for a process that is killed would go on when the lock is let go. */
  const kill = async ({ child, done }: Running, waiting?: string): Promise<void> => {
    child.kill('SIGKILL');
    expect((await done).code).to.equal('SIGKILL');
    if (waiting !== undefined)
      await pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock' and query ilike $1`,
        [waiting],
      );
  };

  const killAtLock = async (running: Running, lock: string, of: string, waits: string): Promise<void> => {
    const release = await holding(lock);
    try {
      await untilBlocked(pool, { of, query: waits });
      await kill(running, waits);
    } finally {
      await release();
    }
  };

  const untilDestroyed = async (before: string): Promise<void> => {
    // polls: the command says so only when no process has the keys any more
    await eventually(version, (now) => now !== before, 60_000);
  };

  /** Kills the command at a step. `before`: the version of the keys when it began. */
  const STEPS: ReadonlyArray<readonly [name: string, kill: (running: Running, before: string) => Promise<void>]> = [
    [
      'after it has begun',
      (running) => killAtLock(running, 'select from erasure.key_tree for update', 'keys', '%for update%'),
    ],
    [
      'after the keys',
      async (running, before) => {
        await untilDestroyed(before);
        await kill(running);
      },
    ],
    [
      'after the files',
      async (running) => killAtLock(running, `lock table ${await ledger()} in share mode`, 'ops', 'update read_model%'),
    ],
    [
      'after the rows, before the record',
      async (running, before) => {
        await untilDestroyed(before);
        await killAtLock(running, 'lock table event_log.event in share mode', 'event-log', '%insert into event_log%');
      },
    ],
    [
      'after the record',
      async (running) => {
        await running.stderr.until((text) => text.includes(': recorded'));
        await kill(running);
      },
    ],
  ];

  it('ends complete by the same command, at whatever step, and nothing is gone that the log does not name', async () => {
    const id = await uploadDocument(service.address, 'Passport', 'scan');
    const before = Number(await begun());
    const first = await version();
    for (const [name, killAt] of STEPS) {
      await killAt(await startOperator(argsOf(`document/${id}`), { env }), await version());
      expect(Number(await begun()), name).to.equal(before + 1);
      if (name === STEPS[0]?.[0]) expect([await version(), await files()]).to.deep.equal([first, 1]);
    }
    const { code, stdout, stderr } = await erase(`document/${id}`);
    expect([code, stdout], stderr).to.deep.equal([0, `document/${id}: erased, and nothing of it found any more\n`]);
    expect(await files()).to.equal(0);
    const history = await api.json<ReadonlyArray<Event>>('GET', `/document/${id}/events`);
    expect(history.map(({ name, data }) => [name, data])).to.deep.equal([
      ['DocumentCreated', {}],
      ['DocumentErased', { events: 'all', basis: `ticket of document/${id}` }],
    ]);
    expect((await listed()).at(-1)).to.include({ isComplete: true });
  });

  it('leaves the record as it was and takes no change of it, which is the reason that a rebuild gives for its rows', async () => {
    const id = await create();
    const before = await version();
    const running = await startOperator(argsOf(`business/${id}`), { env });
    await untilDestroyed(before);
    await killAtLock(running, 'lock table event_log.event in share mode', 'event-log', '%insert into event_log%');
    expect(await api.json('GET', `/business/${id}`)).to.include({ name: 'Shared' });
    expect(
      (await api.json<ReadonlyArray<Event>>('GET', `/business/${id}/events`)).map(({ data }) => data),
    ).to.deep.equal([{}]);
    const change = await api.send('PUT', `/business/${id}`, { name: 'Late' });
    expect([change.status, ((await change.json()) as { code: string }).code]).to.deep.equal([503, 'log_unavailable']);
    const rebuild = () => runOperator(['projections', 'rebuild', 'businesses'], { env });
    const meanwhile = await rebuild();
    expect(meanwhile.code, meanwhile.stderr).to.equal(1);
    expect(meanwhile.stdout).to.match(new RegExp(`${id}  .*\\n  an erasure has begun and not ended`));
    expect((await erase(`business/${id}`)).code).to.equal(0);
    const after = await rebuild();
    expect(after.code, after.stderr).to.equal(0);
    expect(after.stdout).not.to.include('an erasure has begun');
  });

  it('is recorded once where the same command runs twice at once', async () => {
    const ids = [await create(), await create()];
    for (const id of ids) await api.json('POST', `/business/${id}/owner`, { user: 'john' });
    const before = Number(await begun());
    const release = await holding('lock table event_log.event in share mode');
    const both = await Promise.all([1, 2].map(() => startOperator(argsOf('owner/john'), { env })));
    try {
      // both have found him, and neither has recorded that it begins
      await untilBlocked(pool, { of: 'event-log', query: '%insert into event_log%', count: 2 });
    } finally {
      await release();
    }
    const ran = await Promise.all(both.map(({ done }) => done));
    expect(
      ran.map(({ code }) => code),
      ran.map(({ stderr }) => stderr).join(''),
    ).to.deep.equal([0, 0]);
    expect(Number(await begun())).to.equal(before + 1);
    for (const id of ids) {
      const history = await api.json<ReadonlyArray<Event>>('GET', `/business/${id}/events`);
      expect(history.map(({ name }) => name)).to.deep.equal([
        'BusinessCreated',
        'BusinessOwnerAdded',
        'BusinessErased',
      ]);
    }
  });

  it('makes rows anew that a process was still writing with the data when the keys were destroyed', async () => {
    const id = await create();
    const table = await ledger();
    await pool.query(`create function wait_for_lock() returns trigger language plpgsql
      as $$ begin perform pg_advisory_xact_lock(1); return null; end $$`);
    await pool.query(`create trigger waits before insert on ${table} execute function wait_for_lock()`);
    const release = await holding('select pg_advisory_xact_lock(1)');
    try {
      await api.json('POST', `/business/${id}/owner`, { user: 'jim' });
      await untilBlocked(pool, { query: `%${table.split('.')[1]}%` });
      const { stderr, done } = await startOperator(argsOf('owner/jim'), { env });
      await stderr.until((text) => text.includes('destroyed the keys'));
      const asks = "query like '%checkpoint_commit%' and query_start > clock_timestamp() - interval '1 s'";
      expect(await untilConnections(pool, `application_name = 'ops' and ${asks}`)).to.equal(1);
      await release();
      const { code, stdout } = await done;
      expect([code, stdout]).to.deep.equal([0, 'owner/jim: erased, and nothing of it found any more\n']);
    } finally {
      await release();
      await pool.query('drop function wait_for_lock cascade');
    }
  });

  it('names what is written of an owner meanwhile, and erases that by the same command', async () => {
    const id = await create();
    await api.json('POST', `/business/${id}/owner`, { user: 'jane' });
    await untilInLedger(id, 2);
    const release = await holding(`lock table ${await ledger()} in share mode`);
    const { done } = await startOperator(argsOf('owner/jane'), { env });
    try {
      // the keys are destroyed, and nothing is recorded: the service goes on from the state that it remembers
      await untilBlocked(pool, { of: 'ops', query: 'update read_model%' });
      await api.json('PUT', `/business/${id}/owner/jane`, { title: 'CFO' });
    } finally {
      await release();
    }
    const { code, stdout } = await done;
    expect([code, stdout]).to.deep.equal([
      1,
      `left all the same:\n  log: business-${id}, revision 2: it was written while the erasure was at work: give the same command again\n`,
    ]);
    const again = await erase('owner/jane');
    expect([again.code, again.stdout], again.stderr).to.deep.equal([
      0,
      'owner/jane: erased, and nothing of it found any more\n',
    ]);
    const history = await api.json<ReadonlyArray<Event>>('GET', `/business/${id}/events`);
    expect(history.map(({ name, data }) => [name, data])).to.deep.equal([
      ['BusinessCreated', { name: 'Shared', city: 'Ulm' }],
      ['BusinessOwnerAdded', {}],
      ['BusinessOwnerUpdated', {}],
      ['BusinessErased', { events: [[1, 1]], basis: 'ticket of owner/jane' }],
      ['BusinessErased', { events: [[2, 2]], basis: 'ticket of owner/jane' }],
    ]);
  });
});
