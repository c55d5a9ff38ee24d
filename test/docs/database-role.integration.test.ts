import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { makeApi } from '../support/api.js';
import { runOperator } from '../support/operator.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { LIFT_GUARD_OF_HEAD } from '../support/tamper.js';
import { type ServiceProcess, startService, tokenFor } from '../support/service-process.js';

/** The SQL of an example, in which the role is called `service`. */
const exampleIn = (page: string, name: string, role: string): string => {
  const [, sql] = new RegExp(`<!-- example: ${name} -->\\n+ *\`\`\`sql\\n([\\s\\S]*?)\n *\`\`\``).exec(page) ?? [];
  if (sql === undefined) throw new Error(`docs/production.md has no example ${name}`);
  return sql.replaceAll(/\bservice\b/g, role);
};

describe('the role of docs/production.md that cannot change the history', function () {
  this.timeout(startingPostgres * 5);
  const [owner, role] = ['owner', 'service'].map((name) => `${name}_${randomBytes(6).toString('hex')}`) as [
    string,
    string,
  ];
  let dataDir: string;
  let page: string;
  let superuser: pg.Client;
  let asRole: pg.Client;
  let urlOf: (user: string) => string;
  let running: Array<ServiceProcess>;

  const ops = (user: string, ...args: ReadonlyArray<string>) =>
    runOperator(args, { env: { DATA_DIR: dataDir, DATABASE_URL: urlOf(user) } });

  /** As the role that owns the database, and is not a superuser. */
  const asOwner = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: urlOf(owner) });
    await client.connect();
    await client.query(sql);
    await client.end();
  };

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'role-'));
    page = await readFile('docs/production.md', 'utf8');
    const database = await freshDatabase();
    urlOf = (user) => Object.assign(new URL(database), { username: user, password: 'a password' }).toString();
    superuser = new pg.Client({ connectionString: database });
    await superuser.connect();
    running = [];
    await superuser.query(`create role ${owner} login createrole password 'a password'`);
    await superuser.query(`alter database ${superuser.database ?? ''} owner to ${owner}`);

    const migrated = await ops(owner, 'migrate');
    expect([migrated.code, migrated.stderr]).to.deep.equal([0, '']);
    await asOwner(exampleIn(page, 'role', role));
    await asOwner(exampleIn(page, 'grants', role));
    asRole = new pg.Client({ connectionString: urlOf(role) });
    await asRole.connect();
  });

  after(async () => {
    for (const { kill } of running) kill('SIGTERM');
    await Promise.all(running.map(({ exited }) => exited));
    await asRole.end();
    for (const each of [role, owner]) await superuser.query(`drop owned by ${each} cascade`);
    await superuser.query(`reassign owned by ${owner} to current_user`);
    for (const each of [role, owner]) await superuser.query(`drop role ${each}`);
    await superuser.end();
    for (const directory of [dataDir, `${dataDir}-backup`]) await rm(directory, { recursive: true, force: true });
  });

  const start = async () => {
    const service = await startService({ dataDir, env: { DATABASE_URL: urlOf(role) } });
    running.push(service);
    return { service, api: makeApi(service.address, await tokenFor('admin', 'alice')) };
  };

  it('is enough for the service and its operator', async () => {
    const { service, api } = await start();
    const { _id } = await api.json<{ readonly _id: string }>('POST', '/business', { name: 'Acme' });
    await api.json('PUT', `/business/${_id}`, { name: 'Acme & Co' });
    expect(await api.json('GET', '/business')).to.have.length(1);
    for (const command of ['rebuild', 'rollback', 'verify', 'status'])
      expect(await ops(role, 'projections', command).then(({ code, stderr }) => [code, stderr])).to.have.property(
        '0',
        0,
      );
    expect((await ops(role, 'log', 'verify')).code).to.equal(0);
    await api.json('PUT', `/business/${_id}`, { name: 'Acme' });
    expect(await api.json('GET', `/business/${_id}/events`)).to.have.length(3);
    expect(service.output()).to.not.include('permission denied');
    // what it writes with settings that this service does not have
    const { rows } = await asRole.query(
      `select name from unnest(array['checkpoint', 'archived', 'cosigned']) name where not has_table_privilege('seal.' || name, 'insert')`,
    );
    expect(rows).to.deep.equal([]);
    // an upgrade: the owner migrates, and says again what the role may do, and waits for no row that is in use
    expect((await ops(owner, 'migrate')).code).to.equal(0);
    await asRole.query('begin; select from read_model.businesses');
    await asOwner(`set lock_timeout = '2s'; ${exampleIn(page, 'grants', role)}`);
    await asRole.query('commit');
    await api.json('PUT', `/business/${_id}`, { name: 'Acme again' });
  });

  it('records its backups, and a role that may not still makes them', async () => {
    const isRecorded = async (): Promise<boolean> => {
      const { code, stderr } = await ops(role, 'backup', `${dataDir}-backup`);
      expect(code, stderr).to.equal(0);
      return !stderr.includes('could not be recorded');
    };
    expect(await isRecorded()).to.equal(true);
    await asOwner(`revoke insert, update on backup.newest from ${role}`);
    expect(await isRecorded()).to.equal(false);
    await asOwner(exampleIn(page, 'grants', role));
  });

  it('changes and removes no event, and not what guards them', async () => {
    const statements = [
      `update event_log.event set data = '{}'`,
      'delete from event_log.event',
      'truncate event_log.event',
      'drop trigger never_changed on event_log.event',
      'alter table event_log.event disable trigger never_changed',
      'create or replace function event_log.refuse_change() returns trigger language plpgsql as $$ begin end $$',
      'drop table event_log.event',
      'drop schema event_log cascade',
      'set session_replication_role = replica',
      `update event_log.log set identity = gen_random_uuid()`,
    ];
    for (const statement of statements) {
      const error: unknown = await asRole.query(statement).then(undefined, (thrown: unknown) => thrown);
      expect(error, statement).to.have.property('code', '42501');
    }
  });

  it('cannot stop the log by its head', async () => {
    for (const position of ['position - 1', '0', '9223372036854775807']) {
      const statement = `update event_log.head set position = ${position}`;
      const error: unknown = await asRole.query(statement).then(undefined, (thrown: unknown) => thrown);
      expect(String(error), statement).to.include('it only grows');
    }
    const lift: unknown = await asRole.query(LIFT_GUARD_OF_HEAD).then(undefined, (thrown: unknown) => thrown);
    expect(lift).to.have.property('code', '42501');
  });

  it('cannot stop the log by an event where the next one belongs', async () => {
    const insert = `insert into event_log.event (position, stream, revision, id, type, data, metadata)
      select position + 1, 'business-taken', 0, gen_random_uuid(), 'Taken', '{}', '{}' from event_log.head`;
    const error: unknown = await asRole.query(insert).then(undefined, (thrown: unknown) => thrown);
    expect(String(error)).to.include('beyond event_log.head');
  });

  it('is told to let the owner migrate when the tables are of an older version', async () => {
    await superuser.query('update event_log.log set version = version - 1');
    const refused = await ops(role, 'log', 'verify');
    await superuser.query('update event_log.log set version = version + 1');
    expect([refused.code, refused.stderr.includes('run `ops migrate` as their owner')], refused.stderr).to.deep.equal([
      1,
      true,
    ]);
  });
});
