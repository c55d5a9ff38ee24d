import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { type Api, makeApi } from '../../support/api.js';
import { type ComposedService, startComposed } from '../../support/composed-service.js';
import { encryptedInstallation } from '../../support/encrypted-installation.js';
import { documentFilesIn } from '../../support/files-below.js';
import { runOperator } from '../../support/operator.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { tokenFor } from '../../support/service-process.js';

const LINK_KEY = 'a link key of thirty-two bytes or more';

type Shown = { readonly _id: string };
type Event = { readonly name: string; readonly data: object; readonly message: string; readonly type: string };

describe('ops erase', function () {
  this.timeout(startingPostgres * 8);
  let dataDir: string;
  let env: Record<string, string>;
  let pool: pg.Pool;
  let service: ComposedService;
  let api: Api;

  const ops = async (...args: ReadonlyArray<string>) => runOperator(args, { env });
  const create = async (body: object): Promise<string> => (await api.json<Shown>('POST', '/business', body))._id;

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'erase-'));
    env = { ...(await encryptedInstallation(dataDir)), LINK_KEY, ACCESS_RECORD: 'required' };
    pool = new pg.Pool({ connectionString: env['DATABASE_URL'] });
    service = await startComposed({ dataDir, env });
    api = makeApi(service.address, await tokenFor('admin', 'alice'));
  });

  after(async () => {
    await service.stop();
    await pool.end();
    await rm(dataDir, { recursive: true });
  });

  it('erases an owner everywhere, and the businesses stay', async () => {
    const [one, other] = [await create({ name: 'One' }), await create({ name: 'Other' })];
    for (const id of [one, other]) {
      await api.json('POST', `/business/${id}/owner`, { user: 'bob', title: 'CFO' });
      await api.json('POST', `/business/${id}/owner`, { user: 'john.smith', title: 'CEO-MARKER' });
    }
    await api.json('PUT', `/business/${one}/owner/john.smith`, { title: 'CEO-MARKER 2' });
    const planned = await ops('erase', 'plan', 'owner/john.smith', '--json');
    expect(JSON.parse(planned.stdout)).to.deep.equal({
      subject: 'owner',
      events: 3,
      records: [
        { stream: `business-${one}`, events: [[2, 3]], count: 2, plain: 0 },
        { stream: `business-${other}`, events: [[2, 2]], count: 1, plain: 0 },
      ],
      held: [],
      readers: [],
      attached: [],
    });
    const ran = await ops('erase', 'run', 'owner/john.smith', '--basis', 'ticket 4711', '--yes', '--user', 'dpo');
    expect([ran.code, ran.stdout], ran.stderr).to.deep.equal([
      0,
      'owner/john.smith: erased, and nothing of it found any more\n',
    ]);
    expect((await api.json<{ owners: ReadonlyArray<object> }>('GET', `/business/${one}`)).owners).to.deep.equal([
      { user: 'bob', title: 'CFO', equity: null },
    ]);
    expect(await api.json('GET', '/business?owner=john.smith')).to.deep.equal([]);
    const history = await api.json<ReadonlyArray<Event>>('GET', `/business/${one}/events?diff=true`);
    expect(history.map(({ name, message, data }) => [name, message, data])).to.deep.equal([
      ['BusinessCreated', 'business created', { name: 'One' }],
      ['BusinessOwnerAdded', 'owner added', { user: 'bob', title: 'CFO', equity: null }],
      ['BusinessOwnerAdded', 'its data was erased', {}],
      ['BusinessOwnerUpdated', 'its data was erased', {}],
      ['BusinessErased', '2 events erased', { events: [[2, 3]], basis: 'ticket 4711' }],
    ]);
    const asAuditor = { headers: { Authorization: `Bearer ${await tokenFor('auditor', 'ann')}` } };
    expect(await (await fetch(`${service.address}/audit/v1/events`, asAuditor)).text()).not.to.include('MARKER');
  });

  it('says in a plan what of it is held, and who has read it how often, whoever read last before the others', async () => {
    const [id, other] = [await create({ name: 'Read' }), await create({ name: 'Other' })];
    const ann = makeApi(service.address, await tokenFor('auditor', 'ann'));
    await ann.json('GET', `/business/${id}/events`);
    await api.json('GET', `/business/${id}/events`);
    await api.json('GET', `/business/${id}?revision=0`);
    await ann.json('GET', `/business/${other}/events`);
    await ops('hold', 'add', `business/${id}`, '--reason', 'claim 7', '--user', 'olga');
    const { code, stdout } = await ops('erase', 'plan', `business/${id}`);
    expect([code, stdout.replace(/\d{4}-[\d:.T-]+Z/g, 'T')]).to.deep.equal([
      0,
      [
        `business/${id}: 1 event in 1 record`,
        `  business/${id}: all revisions`,
        `held, so that it is not erased: business/${id}, since T by olga, because: claim 7`,
        'read by alice: 2 times, last T',
        'read by ann: 1 time, last T',
        '',
      ].join('\n'),
    ]);
    const json = await ops('erase', 'plan', `business/${id}`, '--json');
    // reason: the line of the command
    const { held, readers } = JSON.parse(json.stdout) as {
      held: ReadonlyArray<object>;
      readers: ReadonlyArray<object>;
    };
    expect(held).to.have.lengthOf(1);
    expect(held[0]).to.include({ entityType: 'Business', entity: id, reason: 'claim 7', actor: 'olga' });
    const reads = (await ops('reads', '--record', `business/${id}`, '--user', 'alice', '--json')).stdout
      .trim()
      .split('\n');
    const { at: last } = JSON.parse(reads.at(-1) ?? '') as { at: string }; // reason: as above
    expect(readers[0]).to.deep.equal({ user: 'alice', reads: 2, last });
  });

  it('names the documents that are attached to an owner, of which each is erased by itself', async () => {
    const body = { name: 'Passport', type: 'Image', entityType: 'User', entity: 'kate' };
    const document = async (changes: object): Promise<string> =>
      (await api.json<Shown>('POST', '/document', { ...body, ...changes }))._id;
    const attached = await document({});
    await document({ entity: 'another' });
    await document({ entityType: 'Lead' });
    const moved = await document({ entity: 'another' });
    await api.json('PUT', `/document/${moved}`, { entity: 'kate' });
    await api.json('PUT', `/document/${moved}`, { entity: 'another' });
    const lines = [attached, moved].map((id) => `attached to this user, and erased by itself alone: document/${id}`);
    const alone = await ops('erase', 'plan', 'owner/kate');
    expect([alone.code, alone.stdout]).to.deep.equal([
      0,
      ['owner/kate: 0 events in 0 records', ...lines, ''].join('\n'),
    ]);
    const id = await create({ name: 'Of Kate' });
    await api.json('POST', `/business/${id}/owner`, { user: 'kate' });
    const json = await ops('erase', 'plan', 'owner/kate', '--json');
    expect(JSON.parse(json.stdout)).to.deep.include({
      events: 1,
      attached: [`document-${attached}`, `document-${moved}`],
    });
    const ran = await ops('erase', 'run', 'owner/kate', '--basis', 'ticket 4715', '--yes');
    expect([ran.code, ran.stderr.split('\n').slice(0, 4)]).to.deep.equal([
      0,
      ['owner/kate: 1 event in 1 record', `  business/${id}: revision 1`, ...lines],
    ]);
    for (const kept of [attached, moved]) expect((await api.send('GET', `/document/${kept}`)).status).to.equal(200);
  });

  it('erases a business that was imported after an owner of it had been erased', async () => {
    const id = await create({ name: 'Imported' });
    await api.json('POST', `/business/${id}/owner`, { user: 'ivan' });
    expect((await ops('erase', 'run', 'owner/ivan', '--basis', 'ticket 4714', '--yes')).code).to.equal(0);
    const other = { ...env, DATABASE_URL: await freshDatabase(), DATA_DIR: path.join(dataDir, 'other') };
    const imported = await runOperator(['log', 'import'], { env: other, input: (await ops('log', 'export')).stdout });
    expect(imported.code, imported.stderr).to.equal(0);
    const planned = await runOperator(['erase', 'plan', `business/${id}`, '--json'], { env: other });
    expect(JSON.parse(planned.stdout)).to.deep.equal({
      subject: 'business',
      events: 2,
      records: [{ stream: `business-${id}`, events: 'all', count: 2, plain: 0 }],
      ...{ held: [], readers: [], attached: [] },
    });
  });

  it('erases a document with every version of its file', async () => {
    const asAlice = { Authorization: `Bearer ${await tokenFor('admin', 'alice')}` };
    const upload = async (method: string, where: string, text: string): Promise<string> => {
      const form = new FormData();
      form.set('name', 'Passport-MARKER');
      form.set('file', new Blob([text], { type: 'text/plain' }), 'scan-MARKER.txt');
      const sent = await fetch(`${service.address}/api/v1/document${where}`, {
        method,
        headers: asAlice,
        body: form,
      });
      expect(sent.status).to.equal(200);
      return ((await sent.json()) as Shown)._id; // reason: both operations answer the document
    };
    const id = await upload('POST', '', 'SCAN-MARKER');
    const headers = { ...asAlice, 'Idempotency-Key': 'k', 'Content-Type': 'application/json' };
    const rename = () =>
      fetch(`${service.address}/api/v1/document/${id}`, { method: 'PUT', headers, body: '{"name":"Visa-MARKER"}' });
    expect((await rename()).status).to.equal(200);
    await upload('PUT', `/${id}`, 'SCAN-MARKER 2');
    const link = await api.json<{ url: string }>('POST', `/document/${id}/link`);
    expect((await documentFilesIn(dataDir)).length).to.equal(2);
    const { code, stderr } = await ops('erase', 'run', `document/${id}`, '--basis', 'ticket 4712', '--yes');
    expect(code, stderr).to.equal(0);
    expect(await documentFilesIn(dataDir)).to.deep.equal([]);
    for (const where of [`/document/${id}`, `/document/${id}/file`, `/document/${id}/file?revision=0`])
      expect((await api.send('GET', where)).status, where).to.equal(404);
    expect((await fetch(new URL(link.url, service.address))).status).to.equal(404);
    expect((await ops('files', 'verify')).code).to.equal(0);
    const repeated = await rename();
    expect([repeated.status, ((await repeated.json()) as { code: string }).code]).to.deep.equal([409, 'result_erased']);
    const held = await ops('hold', 'add', `document/${id}`, '--reason', 'a claim');
    expect([held.code, held.stderr]).to.deep.equal([1, `not recorded: document/${id} is erased\n`]);
  });

  it('erases a business as a whole, also one of which an owner was erased before', async () => {
    const before = await create({ name: 'Before-MARKER' });
    await api.json('POST', `/business/${before}/owner`, { user: 'jane' });
    for (const subject of ['owner/jane', `business/${before}`]) {
      const { code, stderr } = await ops('erase', 'run', subject, '--basis', 'ticket 4713', '--yes');
      expect(code, stderr).to.equal(0);
    }
    const id = await create({ name: 'Sole-MARKER', ein: '12-3456789' });
    await api.json('PUT', `/business/${id}`, { dba: 'Sole-MARKER' });
    const { code, stderr } = await ops('erase', 'run', `business/${id}`, '--basis', 'Art. 17(1)(a)', '--yes');
    expect(code, stderr).to.equal(0);
    for (const where of [`/business/${id}`, `/business/${id}?revision=1`])
      expect((await api.send('GET', where)).status).to.equal(404);
    for (const [method, where] of [
      ['PUT', ''],
      ['POST', '/restore'],
      ['DELETE', ''],
    ] as const) {
      const answer = await api.send(method, `/business/${id}${where}`, method === 'PUT' ? { name: 'x' } : undefined);
      expect(answer.status, await answer.text()).to.equal(404);
    }
    const history = await api.json<ReadonlyArray<Event>>('GET', `/business/${id}/events`);
    expect(history.map(({ name, type, message }) => [name, type, message])).to.deep.equal([
      ['BusinessCreated', 'erased', 'its data was erased'],
      ['BusinessUpdated', 'erased', 'its data was erased'],
      ['BusinessErased', 'deleted', 'business erased'],
    ]);
    // what may have been cut off at the end is done again, and nothing is recorded
    expect((await ops('erase', 'run', `business/${id}`, '--basis', 'b', '--yes')).code).to.equal(0);
    const nobody = await ops('erase', 'run', 'owner/nobody', '--basis', 'b', '--yes');
    expect([nobody.code, nobody.stderr]).to.deep.equal([
      1,
      'no business says anything of owner/nobody that could be erased\n',
    ]);
    const listed = (await ops('erase', 'list')).stdout.split('\n').filter((line) => line.includes('complete'));
    expect(listed.map((line) => line.split('  ').slice(1))).to.deep.equal([
      ['dpo', '2 records', 'complete', 'ticket 4711'],
      [userInfo().username, '1 record', 'complete', 'ticket 4715'],
      [userInfo().username, '1 record', 'complete', 'ticket 4714'],
      [userInfo().username, '1 record', 'complete', 'ticket 4712'],
      [userInfo().username, '1 record', 'complete', 'ticket 4713'],
      [userInfo().username, '1 record', 'complete', 'ticket 4713'],
      [userInfo().username, '1 record', 'complete', 'Art. 17(1)(a)'],
    ]);
  });

  it('is refused, as every decision, while the ledger in force is of another version', async () => {
    const id = await create({ name: 'Kept' });
    const set = async (version: string): Promise<string> => {
      const { rows } = await pool.query<{ before: string }>(
        `update read_model.instance i set version = $1 from read_model.instance o
          where i.table_name = o.table_name and i.projection = 'ledger' and i.role = 'live' returning o.version as before`,
        [version],
      );
      return rows[0]?.before ?? '';
    };
    const version = await set('earlier');
    try {
      for (const args of [
        ['hold', 'add', `business/${id}`, '--reason', 'a claim'],
        ['hold', 'release', `business/${id}`, '--reason', 'a claim'],
        ['erase', 'run', `business/${id}`, '--basis', 'b', '--yes'],
      ]) {
        const { code, stderr } = await ops(...args);
        const why = `the ledger in force was made by another version of this program (earlier, this one has ${version})`;
        expect([code, stderr.split(': ').slice(0, 2).join(': ')]).to.deep.equal([1, `not recorded: ${why}`]);
      }
    } finally {
      await set(version);
    }
    expect((await api.json<ReadonlyArray<Event>>('GET', `/business/${id}/events`)).length).to.equal(1);
  });

  it('says that the same command goes on, where the log does not take that the record is erased', async () => {
    const id = await create({ name: 'Cut-MARKER' });
    await pool.query(`create function refuse() returns trigger language plpgsql as
      'begin raise exception ''the disk is full'' using errcode = ''53100''; end'`);
    await pool.query(`create trigger refuses before insert on event_log.event
      for each row when (new.type = 'BusinessErased') execute function refuse()`);
    const cutOff = await ops('erase', 'run', `business/${id}`, '--basis', 'ticket 4716', '--yes').finally(async () => {
      await pool.query('drop trigger refuses on event_log.event');
      await pool.query('drop function refuse');
    });
    expect([cutOff.code, cutOff.stdout, cutOff.stderr.split('\n').slice(-3)]).to.deep.equal([
      1,
      '',
      [
        'the erasure was cut off: give the same command again',
        `business-${id} cannot say that it is erased: the event log did not take the append: the disk is full`,
        '',
      ],
    ]);
    const again = await ops('erase', 'run', `business/${id}`, '--basis', 'ticket 4716', '--yes');
    expect(again.code, again.stderr).to.equal(0);
    expect(again.stderr).not.to.include('cut off');
  });

  it('leaves rows that are those of a rebuild', async () => {
    const { code, stdout, stderr } = await ops('projections', 'rebuild', '--dry-run');
    expect([code, stdout.match(/(it is|are) the same/g)?.length], stdout + stderr).to.deep.equal([0, 3]);
  });
});
