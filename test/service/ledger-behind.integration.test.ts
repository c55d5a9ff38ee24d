import { expect } from 'chai';
import pg from 'pg';
import { ledgerOf, registry } from '../../src/entities/registry.js';
import { renderSigner } from '../../src/seal/note-key.js';
import { type Api, makeApi } from '../support/api.js';
import { signerNamed } from '../support/checkpoints.js';
import { startEmbeddedStack } from '../support/composed-stack.js';
import { eventually } from '../support/eventually.js';
import { follow } from '../support/event-stream.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import type { Stack } from '../support/running-stack.js';

type Event = { readonly index?: number; readonly name: string; readonly entity: string; readonly revision: number };

const HOLDER = 'a test';

/** Gives the ledger to a writer that writes nothing, for ever. */
const HOLD = `
update read_model.lease set holder = '${HOLDER}', fencing = fencing + 1, expires_at = 'infinity'
where name = (select table_name from read_model.instance where projection = $1 and role = 'live')`;

const GIVE_BACK = `update read_model.lease set expires_at = '-infinity' where holder = '${HOLDER}'`;

/** As an older version of the program left the database, which had no ledger; the next one is held back as above. */
const REMOVE = `
drop view read_model.ledger;
delete from read_model.instance where projection = 'ledger';
create function read_model.hold_ledger() returns trigger language plpgsql as $$ begin
  if new.projection = 'ledger' then
    insert into read_model.lease values (new.table_name, '${HOLDER}', 1, 'infinity');
  end if;
  return new;
end $$;
create trigger hold_ledger after insert on read_model.instance for each row execute function read_model.hold_ledger()`;

const FEED = { Accept: 'text/event-stream' };

describe('a ledger that lacks the newest events', function () {
  this.timeout(startingPostgres * 3);

  const key = renderSigner(signerNamed('behind.example'));
  let url: string;
  let stack: Stack;
  let pool: pg.Pool;
  let ann: Api;

  const start = async (settings: Readonly<Record<string, string>>): Promise<void> => {
    stack = await startEmbeddedStack({ DATABASE_URL: url, ...settings });
    ann = makeApi(stack.baseUrl, stack.tokenFor('admin', 'ann'));
  };

  const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${stack.baseUrl}${path}`, {
      headers: { Authorization: `Bearer ${stack.tokenFor('auditor', 'aud')}`, ...headers },
    });

  const once200 = (path: string): Promise<Response> =>
    // polls: the rows of the ledger come by themselves
    eventually(
      () => get(path),
      ({ status }) => status === 200,
    );

  /** Asks for what needs the ledger; each answer says when it may be asked for again. */
  const expectBehind = async (
    requests: ReadonlyArray<readonly [path: string, headers: Readonly<Record<string, string>>]>,
  ): Promise<void> => {
    const answers = await Promise.all(
      requests.map(async ([path, headers]) => {
        const response = await get(path, headers);
        expect(response.status, `${path} ${JSON.stringify(headers)}`).to.equal(503);
        const { name, code } = (await response.json()) as Readonly<Record<string, unknown>>;
        return [name, code, response.headers.get('retry-after')];
      }),
    );
    expect(answers).to.deep.equal(requests.map(() => ['Service Unavailable', 'ledger_behind', '1']));
  };

  beforeEach(async () => {
    url = await freshDatabase();
    pool = new pg.Pool({ connectionString: url, max: 1 });
  });

  afterEach(async () => {
    await stack.stop();
    await pool.end();
  });

  /** What a command answers; its record is shown by lists when it does. */
  const done = async (method: string, path: string, body?: object): Promise<{ readonly _id: string }> => {
    const response = await ann.send(method, path, body);
    const text = await response.text();
    expect([response.status, response.headers.get('x-projected')], text).to.deep.equal([200, null]);
    return JSON.parse(text === '' ? '{}' : text) as { _id: string }; // reason: that is what the commands answer
  };

  it('is what the requests wait for that need it, and no others; they have everything once it is written again', async () => {
    await start({ CHECKPOINT_KEY: key });
    const { _id: first } = await done('POST', '/business', { name: 'before' });
    expect((await once200('/audit/v1/events/0/proof')).status).to.equal(200);
    const watching = await follow(`${stack.baseUrl}/audit/v1/events`, stack.tokenFor('auditor'));
    await watching.until(2);
    expect((await pool.query(HOLD, [ledgerOf(registry).name])).rowCount).to.equal(1);

    const { _id: business } = await done('POST', '/business', { name: 'Acme', phone: '1' });
    await done('PUT', `/business/${business}`, { phone: '2' });
    await done('POST', `/business/${business}/owner`, { user: 'bob' });
    const { _id: document } = await done('POST', '/document', { name: 'd', entityType: 'Business', entity: business });
    await done('PUT', `/document/${document}`, { name: 'D' });
    await done('DELETE', `/business/${first}`);

    const writes = [
      [business, 'BusinessCreated', 0],
      [business, 'BusinessUpdated', 1],
      [business, 'BusinessOwnerAdded', 2],
      [document, 'DocumentCreated', 0],
      [document, 'DocumentUpdated', 1],
      [first, 'BusinessDeleted', 1],
    ] as const;
    const shown = (events: ReadonlyArray<Event>) =>
      events.map(({ entity, name, revision }) => [entity, name, revision] as const);

    // the records are as they were left, by id, in lists, in earlier states
    expect(await ann.json('GET', `/business/${business}`)).to.include({ name: 'Acme', phone: '2' });
    expect(await ann.json('GET', `/business/${business}?revision=0`)).to.include({ phone: '1' });
    expect(await ann.json('GET', `/document/${document}`)).to.include({ name: 'D', entity: business });
    expect((await ann.send('GET', `/business/${first}`)).status).to.equal(404);
    const idsOf = async (path: string): Promise<ReadonlyArray<string>> =>
      (await ann.json<ReadonlyArray<{ readonly _id: string }>>('GET', path)).map(({ _id }) => _id);
    expect(await idsOf('/business')).to.deep.equal([business]);
    expect(await idsOf('/business?phone=2')).to.deep.equal([business]);
    expect(await idsOf('/document')).to.deep.equal([document]);
    // and so are their histories
    for (const [kind, id] of [
      ['business', business],
      ['business', first],
      ['document', document],
    ] as const) {
      const events = shown(await ann.json<ReadonlyArray<Event>>('GET', `/${kind}/${id}/events`));
      const all = [[first, 'BusinessCreated', 0] as const, ...writes];
      expect(events).to.deep.equal(all.filter(([entity]) => entity === id));
    }
    expect((await get('/readyz')).status).to.equal(200);

    // what the seal covers can be proven, as it was before
    expect((await get('/audit/v1/events/0/proof')).status).to.equal(200);
    await expectBehind([
      ['/audit/v1/events', {}],
      ['/audit/v1/events', { Accept: 'application/x-ndjson' }],
      ['/audit/v1/events', { Accept: 'text/csv' }],
      ['/audit/v1/events?limit=1&order=desc', {}],
      [`/audit/v1/events?limit=1&entity=${first}`, {}],
      ['/audit/v1/events/1/proof', {}],
      ['/audit/v1/events', FEED],
      [`/api/v1/business/${business}/events`, FEED],
      [`/api/v1/document/${document}/events`, FEED],
    ]);

    await pool.query(GIVE_BACK);
    const events = (await (await once200('/audit/v1/events')).json()) as ReadonlyArray<Event>;
    expect(shown(events)).to.deep.equal([[first, 'BusinessCreated', 0], ...writes]);
    expect(events.map(({ index }) => index)).to.deep.equal([0, 1, 2, 3, 4, 5, 6]);
    expect((await once200('/audit/v1/events/6/proof')).status).to.equal(200);
    const feed = await follow(`${stack.baseUrl}/api/v1/business/${business}/events`, stack.tokenFor('auditor'));
    expect((await feed.until(4)).map(({ id, event }) => id ?? event)).to.deep.equal(['1', '2', '3', 'caught-up']);
    // who watched all the time has missed nothing
    const received = await watching.until(8);
    expect(received.map(({ id, event }) => id ?? event)).to.deep.equal([
      '0',
      'caught-up',
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
    ]);
    feed.leave();
    watching.leave();
  });

  it('is one of which there is nothing yet, too: after an upgrade, the service runs while it is built', async () => {
    await start({ SEALING: 'false' });
    const { _id: id } = await done('POST', '/business', { name: 'Acme' });
    await stack.stop();
    await pool.query(REMOVE);
    await start({ SEALING: 'false' });
    await expectBehind([
      ['/audit/v1/events', {}],
      ['/audit/v1/events?limit=1', {}],
      ['/audit/v1/events', FEED],
      [`/api/v1/business/${id}/events`, FEED],
    ]);
    await done('PUT', `/business/${id}`, { phone: '1' });
    expect(await ann.json('GET', `/business/${id}`)).to.include({ name: 'Acme', phone: '1' });
    expect((await ann.json<ReadonlyArray<object>>('GET', '/business?phone=1')).length).to.equal(1);
    expect((await ann.json<ReadonlyArray<object>>('GET', `/business/${id}/events`)).length).to.equal(2);
    expect((await get('/readyz')).status).to.equal(200);
    await pool.query(GIVE_BACK);
    const events = (await (await once200('/audit/v1/events')).json()) as ReadonlyArray<Event>;
    expect(events.map(({ index, name }) => [index, name])).to.deep.equal([
      [0, 'BusinessCreated'],
      [1, 'BusinessUpdated'],
    ]);
  });
});
