import { expect } from 'chai';
import { longDocument } from '../hostile/support/seed-log.js';
import { type Api, makeApi } from '../support/api.js';
import { startDistributedStack, startEmbeddedStack } from '../support/composed-stack.js';
import { startingPostgres } from '../support/postgres.js';
import type { Stack } from '../support/running-stack.js';

type Event = { readonly index: number; readonly entity: string; readonly hash: string } & Readonly<
  Record<string, unknown>
>;

const stacks = { embedded: startEmbeddedStack, 'EventStoreDB and S3': startDistributedStack };

for (const [name, start] of Object.entries(stacks))
  describe(`the events of all records (${name})`, function () {
    this.timeout(startingPostgres);

    let stack: Stack;
    let ann: Api;
    let bob: Api;
    let parent: string;
    let child: string;

    before(async () => {
      stack = await start();
      ann = makeApi(stack.baseUrl, stack.tokenFor('editor', 'ann'));
      bob = makeApi(stack.baseUrl, stack.tokenFor('admin', 'bob'));
      ({ _id: parent } = await ann.json<{ _id: string }>('POST', '/business', { name: '=1+1', phone: '1' }));
      ({ _id: child } = await bob.json<{ _id: string }>('POST', '/business', { name: 'Böb, "the" child', parent }));
      await ann.json('PUT', `/business/${parent}`, { phone: '2' });
      await bob.json('POST', '/document', { name: 'd', entityType: 'Business', entity: child });
      await bob.json('DELETE', `/business/${child}`);
    });

    after(() => stack.stop());

    const get = (query = '', headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Response> =>
      fetch(`${stack.baseUrl}/audit/v1/events${query}`, {
        method,
        headers: { Authorization: `Bearer ${stack.tokenFor('auditor', 'aud')}`, ...headers },
      });

    const events = async (query = ''): Promise<ReadonlyArray<Event>> => {
      const response = await get(query);
      const text = await response.text();
      expect(response.status, text).to.equal(200);
      return JSON.parse(text) as ReadonlyArray<Event>; // reason: that is what the operation answers
    };

    const indexes = async (query: string): Promise<ReadonlyArray<number>> =>
      (await events(query)).map(({ index }) => index);

    it('are those that each record shows, numbered in the order of the log', async () => {
      const all = await events();
      expect(all.map(({ index, name: type }) => [index, type])).to.deep.equal([
        [0, 'BusinessCreated'],
        [1, 'BusinessCreated'],
        [2, 'BusinessUpdated'],
        [3, 'DocumentCreated'],
        [4, 'BusinessDeleted'],
      ]);
      const own = [...(await ann.json<ReadonlyArray<object>>('GET', `/business/${parent}/events`))];
      expect(all.filter(({ entity }) => entity === parent)).to.deep.equal(
        own.map((event, i) => ({ index: [0, 2][i], ...event })),
      );
    });

    it('contain what was acknowledged just before, however often', async () => {
      for (let n = 0; n < 10; n += 1) {
        const { _id } = await ann.json<{ _id: string }>('POST', '/business', { name: `n${n}` });
        expect((await events(`?entity=${_id}`)).map(({ entity }) => entity)).to.deep.equal([_id]);
      }
    });

    it('are narrowed by each filter, and by several', async () => {
      expect(await indexes('?user=bob')).to.deep.equal([1, 3, 4]);
      expect(await indexes('?entityType=Document')).to.deep.equal([3]);
      expect(await indexes('?entityType=Nothing')).to.deep.equal([]);
      expect(await indexes('?entityType=Document,Decision')).to.deep.equal([3]);
      expect(await indexes('?entityType=Document,Business')).to.deep.equal(await indexes(''));
      for (const wrong of ['Document,Nothing', 'Document,', 'Document,%20Business'])
        expect((await get(`?entityType=${wrong}`)).status, wrong).to.equal(400);
      expect(await indexes('?name=BusinessUpdated')).to.deep.equal([2]);
      expect(await indexes('?field=phone')).to.deep.equal([0, 2]);
      expect(await indexes(`?ref=${parent}`)).to.deep.equal([1]);
      expect(await indexes(`?ref=${child}&user=bob`)).to.deep.equal([3]);
      const [, , third] = await events('?limit=3');
      const at = encodeURIComponent(String(third?.['at']));
      expect((await indexes(`?until=${at}`)).every((index) => index < 3)).to.equal(true);
      expect(await indexes(`?since=${at}&limit=1&user=ann`)).to.deep.equal([2]);
    });

    it('are what the description of its parameters is about', async () => {
      type Described = { readonly get: { readonly parameters: ReadonlyArray<{ readonly description: string }> } };
      const description = await (await fetch(`${stack.baseUrl}/openapi.json`)).json();
      // reason: a test of its own holds the document to OpenAPI
      const { paths } = description as { readonly paths: Readonly<Record<string, Described>> };
      const described = paths['/audit/v1/events']!.get.parameters.map((parameter) => parameter.description);
      expect(described).to.include('Only events that this user made happen.');
      expect(described.filter((text) => text.startsWith('Only records'))).to.deep.equal([]);
    });

    it('come page by page in both directions', async () => {
      const first = await get('?limit=2&user=bob');
      expect(first.headers.get('link')).to.equal('<?user=bob&limit=2&after=3>; rel="next"');
      expect(await indexes('?limit=2&user=bob&after=3')).to.deep.equal([4]);
      expect((await get('?limit=2&user=bob&after=3')).headers.get('link')).to.equal(null);
      expect(await indexes('?user=bob&order=desc&after=4')).to.deep.equal([3, 1]);
    });

    it('come as lines of JSON, and as CSV in which no cell begins a formula', async () => {
      const lines = await get('?limit=2', { Accept: 'application/x-ndjson' });
      expect(lines.headers.get('content-type')).to.equal('application/x-ndjson');
      expect(lines.headers.get('vary')).to.equal('Accept');
      const parsed = (await lines.text()).trimEnd().split('\n');
      expect(parsed.map((line) => JSON.parse(line) as Event)).to.deep.equal(await events('?limit=2'));
      const csv = await (await get('?limit=2', { Accept: 'text/csv' })).text();
      const [header, one, two, ...rest] = csv.split('\r\n');
      expect(header).to.equal('index,at,user,type,message,entityType,entity,revision,name,refs,reason,data,hash,_id');
      expect(one).to.match(/^0,[^,]+,ann,created,business created,Business,/);
      expect(two).to.include(`,${parent},,"{""name"":""Böb, \\""the\\"" child""`);
      expect(rest).to.deep.equal(['']);
    });

    describe('of which a reason was given', () => {
      let record: string;
      let first: number;

      const change = async (method: string, path: string, body: object | undefined, reason: string): Promise<void> => {
        const encoded = Buffer.from(reason).toString('hex').replaceAll(/../g, '%$&');
        const response = await ann.send(method, path, body, { 'Change-Reason': `UTF-8''${encoded}` });
        expect(response.status, await response.text()).to.equal(200);
      };

      before(async () => {
        first = (await events()).length;
        ({ _id: record } = await ann.json<{ _id: string }>('POST', '/business', { name: 'Reasoned', phone: '0' }));
        await change('PUT', `/business/${record}`, { phone: '1' }, 'Typo: see ticket 77');
        await change('PUT', `/business/${record}`, { phone: '2' }, "Straße verlegt; ''&|!:*<-> (typo)");
        await change('POST', `/business/${record}/owner`, { user: 'zoe', equity: 0.5 }, '审计 名称');
        await ann.json('PUT', `/business/${record}`, { phone: '1', dba: '1,2' });
      });

      const found = async (query: string): Promise<ReadonlyArray<number>> =>
        (await indexes(query)).map((index) => index - first);

      it('are found by all its words, in any order, without case', async () => {
        expect(await found('?reason=typo')).to.deep.equal([1, 2]);
        expect(await found('?reason=TICKET%20typo')).to.deep.equal([1]);
        expect(await found('?reason=STRASSE')).to.deep.equal([2]);
        expect(await found(`?reason=${encodeURIComponent('名称')}&user=ann`)).to.deep.equal([3]);
        expect(await found(`?reason=typo&entity=${record}&order=desc&limit=1`)).to.deep.equal([2]);
        for (const none of ['typ', 'typo%20missing', 'phone'])
          expect(await found(`?reason=${none}`), none).to.deep.equal([]);
        // what would be an operator of a search divides words
        expect(await found(`?reason=${encodeURIComponent("ticket' | 'nothing")}`)).to.deep.equal([]);
        expect(await found(`?reason=${encodeURIComponent("!typo:* & (ticket)'")}`)).to.deep.equal([1]);
      });

      it('are found by a value of one record, in each form and page', async () => {
        const of = `?entity=${record}`;
        expect(await found(`${of}&value=1`)).to.deep.equal([1, 4]);
        expect(await found(`${of}&value=1&limit=1&after=${first + 1}`)).to.deep.equal([4]);
        expect(await found(`${of}&value=1&order=desc`)).to.deep.equal([4, 1]);
        expect(await found(`${of}&value=0.5`)).to.deep.equal([3]);
        expect(await found(`${of}&value=zoe&reason=${encodeURIComponent('审计')}`)).to.deep.equal([3]);
        // no name of a member, no part of a text, no reason, no value of another record
        for (const none of ['phone', '2,', '1,', ',', '"', ':', '审计 名称', '=1+1', ''])
          expect(await found(`${of}&value=${encodeURIComponent(none)}`), none).to.deep.equal([]);
        expect(await found(`?entity=${parent}&value=${encodeURIComponent('=1+1')}`)).to.deep.equal([-first]);
        const csv = await (await get(`${of}&value=zoe`, { Accept: 'text/csv' })).text();
        expect(csv.split('\r\n')).to.have.lengthOf(3);
      });

      it('come with what they changed, as the history of the record shows it', async () => {
        const shown = await ann.json<ReadonlyArray<Event>>('GET', `/business/${record}/events?diff=true`);
        const expected = shown.map((event, i) => ({ ...event, index: first + i }));
        const of = `?entity=${record}&diff=true`;
        expect(await events(of)).to.deep.equal(expected);
        expect(await events(`${of}&order=desc`)).to.deep.equal(expected.toReversed());
        expect(await events(`${of}&limit=2&after=${first + 1}`)).to.deep.equal(expected.slice(2, 4));
        expect(await events(`${of}&value=1&order=desc`)).to.deep.equal([expected[4], expected[1]]);
        expect(await events(`${of}&since=2100-01-01T00:00:00Z`)).to.deep.equal([]);
        expect(await events(`?entity=nothing&diff=true`)).to.deep.equal([]);
        const page = await get(`${of}&limit=2`);
        expect(page.headers.get('link')).to.equal(`<${of}&limit=2&after=${first + 1}>; rel="next"`);
        const lines = (await (await get(of, { Accept: 'application/x-ndjson' })).text()).trimEnd().split('\n');
        expect(lines.map((line) => JSON.parse(line) as Event)).to.deep.equal(expected);
        const head = await get(of, {}, 'HEAD');
        expect([head.status, await head.text()]).to.deep.equal([200, '']);
      });

      it('come as a table with what they changed in a last column', async () => {
        const of = `?entity=${record}&diff=true&limit=2`;
        const csv = await (await get(of, { Accept: 'text/csv' })).text();
        const [header, , two] = csv.split('\r\n');
        expect(header).to.match(/,hash,_id,diff$/);
        expect(two).to.match(/,"\[\{""path"":""\/phone"",""before"":""0"",""after"":""1""\}\]"$/);
        const marked = Buffer.from(await (await get(`${of}&bom=true`, { Accept: 'text/csv' })).arrayBuffer());
        expect(marked).to.deep.equal(Buffer.from(`\ufeff${csv}`));
      });
    });

    it('come all as one stream in each form and both directions, where they are more than a page', async () => {
      const { length: before } = await events();
      const created: Array<string> = [];
      // so pages end first by their size, and then by their number of events
      const document = (n: number): object => (n < 150 ? longDocument(n) : { name: `m${n}, "more"` });
      const create = async (n: number): Promise<void> => {
        created.push((await ann.json<{ _id: string }>('POST', '/document', document(n)))._id);
      };
      for (let n = 0; n < 1_200; n += 20) await Promise.all(Array.from({ length: 20 }, (_, i) => create(n + i)));
      const oldestFirst = Array.from({ length: before + 1_200 }, (_, index) => index);
      for (const [query, expected] of [
        ['', oldestFirst],
        ['?order=desc', oldestFirst.toReversed()],
      ] as const) {
        const response = await get(query);
        expect(response.headers.get('content-length')).to.equal(null);
        const all = (await response.json()) as ReadonlyArray<Event>;
        expect(all.map(({ index }) => index)).to.deep.equal(expected);
        const entities = all.map(({ entity }) => entity);
        const listed = new Set(entities);
        expect(created.filter((id) => !listed.has(id))).to.deep.equal([]);
        const lines = (await (await get(query, { Accept: 'application/x-ndjson' })).text()).split('\n');
        expect(lines.pop()).to.equal('');
        expect(lines.map((line) => JSON.parse(line) as Event)).to.deep.equal(all);
        const [header, ...cells] = (await (await get(query, { Accept: 'text/csv' })).text()).split('\r\n');
        expect([header?.startsWith('index,at,'), cells.pop()]).to.deep.equal([true, '']);
        expect(cells.map((line) => Number(line.split(',')[0]))).to.deep.equal(expected);
        expect(cells.map((line, i) => line.includes(`,${entities[i]!},`))).to.not.include(false);
      }
    });

    it('are for auditors', async () => {
      expect((await fetch(`${stack.baseUrl}/audit/v1/events`)).status).to.equal(401);
      const viewer = await get('', { Authorization: `Bearer ${stack.tokenFor('viewer')}` });
      expect(await viewer.json()).to.include({ status: 401, name: 'Invalid Role' });
    });

    it('are refused with every fault of the request', async () => {
      const response = await get('?limit=0&since=yesterday&after=-1&order=up&user=%00&usr=bob');
      const { errors } = (await response.json()) as { errors: ReadonlyArray<{ path: string }> };
      expect(errors.map(({ path }) => path).sort()).to.deep.equal(['after', 'limit', 'order', 'since', 'user', 'usr']);
      expect(await (await get('', {}, 'HEAD')).text()).to.equal('');
    });
  });
