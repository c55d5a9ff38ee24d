import { get } from 'node:http';
import { expect } from 'chai';
import { longDocument } from '../hostile/support/seed-log.js';
import { type Api, makeApi } from '../support/api.js';
import { startDistributedStack, startEmbeddedStack } from '../support/composed-stack.js';
import { follow, type Following, type Received } from '../support/event-stream.js';
import { runOperator } from '../support/operator.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import type { Stack } from '../support/running-stack.js';
import { SECRET } from '../support/tokens.js';

const opened: Array<Following> = [];
const running: Array<Stack> = [];

const following = async ({ baseUrl, tokenFor }: Stack, query = '', headers: object = {}): Promise<Following> => {
  const feed = await follow(`${baseUrl}/audit/v1/events${query}`, tokenFor('auditor', 'aud'), headers);
  opened.push(feed);
  return feed;
};

const apiOf = ({ baseUrl, tokenFor }: Stack, user: string): Api => makeApi(baseUrl, tokenFor('admin', user));

const create = async (api: Api, name: string): Promise<string> =>
  (await api.json<{ _id: string }>('POST', '/business', { name }))._id;

const indexesIn = (received: ReadonlyArray<Received>): ReadonlyArray<number> =>
  received.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]));

const upTo = (count: number, from = 0): ReadonlyArray<number> => Array.from({ length: count }, (_, n) => from + n);

const listed = async ({ baseUrl, tokenFor }: Stack, query = ''): Promise<ReadonlyArray<object>> => {
  const headers = { Authorization: `Bearer ${tokenFor('auditor')}` };
  return (await (await fetch(`${baseUrl}/audit/v1/events${query}`, { headers })).json()) as ReadonlyArray<object>;
};

const leaveAll = async (): Promise<void> => {
  for (const { leave } of opened.splice(0)) leave();
  for (const { stop } of running.splice(0)) await stop();
};

const stacks = { embedded: startEmbeddedStack, 'EventStoreDB and S3': startDistributedStack };

for (const [name, start] of Object.entries(stacks))
  describe(`the events of all records as they come (${name})`, function () {
    this.timeout(startingPostgres);

    let stack: Stack;

    before(async () => {
      stack = await start();
      running.push(stack);
    });

    after(leaveAll);

    it('are those of the listing: what is there, and then what comes', async () => {
      const [ann, bob] = [apiOf(stack, 'ann'), apiOf(stack, 'bob')];
      const id = await create(ann, 'one');
      const feed = await following(stack);
      await feed.until(2);
      await bob.json('PUT', `/business/${id}`, { phone: '1' });
      await create(ann, 'two');
      const received = await feed.until(4);
      const all = await listed(stack);
      expect(received.filter(({ event }) => event === undefined)).to.deep.equal(
        all.map((data, index) => ({ id: String(index), data })),
      );
      expect(received[1]).to.deep.equal({ event: 'caught-up', data: { index: 0 } });
    });

    it('are narrowed by the filters of the listing', async () => {
      const [ann, eve] = [apiOf(stack, 'ann'), apiOf(stack, 'eve')];
      const feeds = await Promise.all(
        ['?user=eve', '?field=phone', '?name=BusinessCreated', '?entityType=Document'].map((query) =>
          following(stack, query),
        ),
      );
      const id = await create(eve, 'three');
      await ann.json('PUT', `/business/${id}`, { phone: '2' });
      await ann.json('POST', '/document', { name: 'd', entityType: 'Business', entity: id });
      const wanted = await Promise.all(
        ['?user=eve', '?field=phone', '?name=BusinessCreated', '?entityType=Document'].map((query) =>
          listed(stack, query),
        ),
      );
      await Promise.all(feeds.map(({ until }, i) => until(wanted[i]!.length + 1)));
      for (const [i, { received }] of feeds.entries())
        expect(received.flatMap(({ id: index, data }) => (index === undefined ? [] : [data]))).to.deep.equal(wanted[i]);
    });

    it('are refused with what makes no sense in a feed', async () => {
      const url = `${stack.baseUrl}/audit/v1/events?limit=1&order=desc&until=2026-01-01T00:00:00Z`;
      const headers = { Authorization: `Bearer ${stack.tokenFor('auditor')}`, Accept: 'text/event-stream' };
      const response = await fetch(url, { headers });
      const { errors } = (await response.json()) as { errors: ReadonlyArray<{ path: string }> };
      expect([response.status, errors.map(({ path }) => path).sort()]).to.deep.equal([
        400,
        ['limit', 'order', 'until'],
      ]);
    });
  });

/** The metrics of a service, as text. */
const metricsOf = async ({ baseUrl, tokenFor }: Stack): Promise<string> => {
  const headers = { Authorization: `Bearer ${tokenFor('auditor')}` };
  return (await fetch(`${baseUrl}/metrics`, { headers })).text();
};

/** Opens a feed on a socket of its own, and reads nothing after the headers until `readOn`, which says how it ends. */
const stopReading = ({ baseUrl, tokenFor }: Stack): Promise<{ readonly readOn: () => Promise<Error | undefined> }> =>
  new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${tokenFor('auditor')}`, Accept: 'text/event-stream' };
    const request = get(`${baseUrl}/audit/v1/events`, { headers, agent: false }, (response) => {
      response.socket.pause();
      const readOn = () =>
        new Promise<Error | undefined>((ended) => {
          response
            .once('error', ended)
            .once('end', () => ended(undefined))
            .resume()
            .socket.resume();
        });
      resolve({ readOn });
    });
    request.once('error', reject);
  });

describe('a feed that nobody reads', function () {
  this.timeout(startingPostgres);

  afterEach(leaveAll);

  it('is cut, and those who read miss nothing', async () => {
    const stack = await startEmbeddedStack();
    running.push(stack);
    const ann = apiOf(stack, 'ann');
    await create(ann, 'first');
    const { readOn } = await stopReading(stack);
    const read = await following(stack);
    await read.until(2);
    expect(await metricsOf(stack)).to.include('http_feeds_open 2\n');
    const CUT = 'http_connections_cut_total{reason="a feed was not read in time"} 1';
    let written = 1;
    while (written < 2_000 && !(await metricsOf(stack)).includes(CUT)) {
      await Promise.all(upTo(20).map(() => ann.json('POST', '/document', longDocument(0))));
      written += 20;
    }
    expect(await readOn()).to.include({ code: 'ECONNRESET' });
    const text = await metricsOf(stack);
    expect(text).to.include(CUT);
    expect(text).to.include('http_feeds_open 1\n');
    expect(indexesIn(await read.until(written + 1))).to.deep.equal(upTo(written));
  });
});

describe('a feed that is resumed', function () {
  this.timeout(180_000);

  afterEach(leaveAll);

  it('leaves nothing out and repeats nothing: at another process, and at a copy of the log', async () => {
    const url = await freshDatabase();
    const [one, two] = [
      await startEmbeddedStack({ DATABASE_URL: url }),
      await startEmbeddedStack({ DATABASE_URL: url }),
    ];
    running.push(one, two);
    const ann = apiOf(one, 'ann');
    const writing = Promise.all(upTo(40).map((n) => create(ann, `n${n}`)));
    const first = await following(one);
    const some = indexesIn(await first.until(10));
    first.leave();
    const elsewhere = await following(two, '', { 'Last-Event-ID': String(some.at(-1)) });
    await writing;
    const more = indexesIn(await elsewhere.until(41 - some.length));
    expect([...some, ...more]).to.deep.equal(upTo(40));
    // the second process projects nothing: it hears of what the first one has written
    await create(ann, 'last');
    await elsewhere.until(42 - some.length);
    await leaveAll();

    const target = await freshDatabase();
    const env = { DATABASE_URL: url, JWT_SECRET: SECRET };
    const copied = await runOperator(['log', 'copy', '--to', target], { env });
    expect(copied.code, copied.stderr).to.equal(0);
    const third = await startEmbeddedStack({ DATABASE_URL: target });
    running.push(third);
    const atCopy = await following(third, '', { 'Last-Event-ID': '38' });
    expect(indexesIn(await atCopy.until(3))).to.deep.equal([39, 40]);
  });
});
