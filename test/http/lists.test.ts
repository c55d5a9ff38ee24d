import { expect } from 'chai';
import { callerOf, idOf, type Reply } from '../support/client.js';
import { type Stack, startStack } from '../support/stack.js';

const idsOf = ({ json }: Reply): ReadonlyArray<string> =>
  (json as ReadonlyArray<{ _id: string }>).map(({ _id }) => _id);

const nextOf = ({ headers }: Reply): string | undefined =>
  /^<\/api\/v1(\/[^>]*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

describe('lists over HTTP', () => {
  let stack: Stack;
  let as: string;
  let ids: ReadonlyArray<string>;
  const call = callerOf(() => stack);
  before(async () => {
    stack = await startStack();
    as = stack.tokenFor('admin');
    const created: Array<string> = [];
    for (let index = 0; index < 5; index += 1) {
      const body = { name: index % 2 === 0 ? 'even' : 'odd & co', ein: String(index) };
      created.push(idOf(await call('POST', '/business', { as, body })));
    }
    ids = created;
  });
  after(() => stack.stop());

  const pagesFrom = async (path: string): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
    const reply = await call('GET', path, { as });
    const next = nextOf(reply);
    return [idsOf(reply), ...(next === undefined ? [] : await pagesFrom(next))];
  };

  it('gives all records in the order of their creation, as GET by id gives each', async () => {
    const all = await call('GET', '/business/', { as });
    expect(idsOf(all)).to.deep.equal(ids);
    expect(all.headers.get('etag')).to.equal(null);
    const each = await Promise.all(ids.map(async (id) => (await call('GET', `/business/${id}`, { as })).json));
    expect(all.json).to.deep.equal(each);
  });

  it('gives pages that follow each other to the end', async () => {
    expect(await pagesFrom('/business?limit=2')).to.deep.equal([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    expect(await pagesFrom('/business/?limit=5')).to.deep.equal([ids]);
  });

  it('keeps the filter on the way through the pages', async () => {
    const odd = ids.filter((_, index) => index % 2 === 1);
    const path = `/business?name=${encodeURIComponent('odd & co')}&limit=1`;
    expect(await pagesFrom(path)).to.deep.equal([[odd[0]], [odd[1]]]);
  });

  it('filters by all that is asked, and by an empty value nothing', async () => {
    const found = async (query: string) => idsOf(await call('GET', `/business?${query}`, { as }));
    expect(await found('name=even&ein=2')).to.deep.equal([ids[2]]);
    expect(await found('name=even&ein=1')).to.deep.equal([]);
    expect(await found('name=')).to.deep.equal([]);
    expect(await found('unknown=1&name=even')).to.have.length(3);
  });

  it('goes on after a record, also one that was deleted', async () => {
    await call('DELETE', `/business/${ids[4]!}`, { as });
    const last = idOf(await call('POST', '/business', { as, body: { name: 'last' } }));
    expect(idsOf(await call('GET', `/business?after=${ids[4]!}`, { as }))).to.deep.equal([last]);
    expect(idsOf(await call('GET', `/business?after=${last}&limit=3`, { as }))).to.deep.equal([]);
    expect(idsOf(await call('GET', '/business', { as }))).to.deep.equal([...ids.slice(0, 4), last]);
  });
});

describe('events over HTTP', () => {
  let stack: Stack;
  let as: string;
  let id: string;
  const call = callerOf(() => stack);
  before(async () => {
    stack = await startStack();
    as = stack.tokenFor('admin');
    id = idOf(await call('POST', '/business', { as, body: { name: '0' } }));
    for (const name of ['1', '2', '3', '4']) await call('PUT', `/business/${id}`, { as, body: { name } });
  });
  after(() => stack.stop());

  const revisions = ({ json }: Reply): ReadonlyArray<number> =>
    (json as ReadonlyArray<{ revision: number }>).map(({ revision }) => revision);
  const pagesFrom = async (path: string): Promise<ReadonlyArray<ReadonlyArray<number>>> => {
    const reply = await call('GET', path, { as });
    expect(reply.status).to.equal(200);
    const next = nextOf(reply);
    return [revisions(reply), ...(next === undefined ? [] : await pagesFrom(next))];
  };

  const asked: ReadonlyArray<readonly [string, ReadonlyArray<ReadonlyArray<number>>]> = [
    ['', [[0, 1, 2, 3, 4]]],
    ['?order=desc', [[4, 3, 2, 1, 0]]],
    ['?from=3', [[3, 4]]],
    ['?from=5', [[]]],
    ['?from=99999999999999999999', [[]]],
    ['?from=2&order=desc', [[2, 1, 0]]],
    ['?from=9&order=desc', [[4, 3, 2, 1, 0]]],
    ['?limit=2', [[0, 1], [2, 3], [4]]],
    ['?limit=5', [[0, 1, 2, 3, 4]]],
    ['?limit=1000', [[0, 1, 2, 3, 4]]],
    [
      '?from=1&limit=2',
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ['?from=7&limit=2', [[]]],
    ['?limit=2&order=desc', [[4, 3], [2, 1], [0]]],
    ['?from=3&limit=4&order=desc', [[3, 2, 1, 0]]],
    [
      '?from=9&limit=3&order=desc',
      [
        [4, 3, 2],
        [1, 0],
      ],
    ],
  ];
  for (const [query, pages] of asked)
    it(`gives ${JSON.stringify(pages)} for ${query === '' ? 'no query' : query}`, async () => {
      expect(await pagesFrom(`/business/${id}/events${query}`)).to.deep.equal(pages);
    });

  it('tells each event with all that the contract shows of it', async () => {
    const { json } = await call('GET', `/business/${id}/events?from=4`, { as });
    const [event] = json as ReadonlyArray<{ _id: string; at: string; hash: string }>;
    expect(json).to.deep.equal([
      {
        _id: event!._id,
        type: 'updated',
        message: 'name updated',
        user: 'alice',
        entity: id,
        entityType: 'Business',
        refs: [],
        name: 'BusinessUpdated',
        at: event!.at,
        revision: 4,
        hash: event!.hash,
        data: { changes: { name: '4' } },
      },
    ]);
    expect(event!.at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(event!.hash).to.match(/^[0-9a-f]{64}$/);
  });

  describe('have an entity tag', () => {
    const ask = (query: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
      call(method, `/business/${id}/events${query}`, { as, headers });
    const tagOf = async (query: string): Promise<string> => (await ask(query)).headers.get('etag') ?? '';

    for (const query of [
      '',
      '?from=3',
      '?from=9',
      '?limit=2',
      '?from=2&limit=9',
      '?order=desc',
      '?from=9&order=desc&limit=2',
      '?proof=true',
    ])
      it(`that GET and HEAD agree on, and by which ${query === '' ? 'all of them' : query} is 304 or 412`, async () => {
        const tag = await tagOf(query);
        expect(tag).to.match(/^"[!#-~]+"$/);
        expect((await ask(query, {}, 'HEAD')).headers.get('etag')).to.equal(tag);
        const same = await ask(query, { 'if-none-match': tag });
        expect([same.status, same.text, same.headers.get('etag')]).to.deep.equal([304, '', tag]);
        expect((await ask(query, { 'if-none-match': tag }, 'HEAD')).status).to.equal(304);
        const statuses = [];
        for (const headers of [
          { 'if-none-match': '"4"' },
          { 'if-match': tag },
          { 'if-match': '"4"' },
          { 'if-match': '4' },
        ])
          statuses.push((await ask(query, headers)).status);
        expect(statuses).to.deep.equal([200, 200, 412, 400]);
        const whole = await ask(query, { 'if-none-match': '"4"' });
        expect([whole.text, whole.headers.get('etag')]).to.deep.equal([(await ask(query)).text, tag]);
      });

    it('of their own for each window and form', async () => {
      const queries = [
        '',
        '?from=0',
        '?from=1',
        '?limit=1',
        '?limit=2',
        '?from=1&limit=2',
        '?order=desc',
        '?proof=true',
      ];
      const tags = [];
      for (const query of queries) tags.push(await tagOf(query));
      expect(new Set(tags).size).to.equal(queries.length);
    });

    it('that another event changes', async () => {
      const other = `/business/${idOf(await call('POST', '/business', { as, body: { name: 'a' } }))}`;
      for (const query of ['', '?limit=1', '?from=3', '?order=desc']) {
        const tag = (await call('GET', `${other}/events${query}`, { as })).headers.get('etag') ?? '';
        await call('PUT', other, { as, body: { name: `as of ${query}` } });
        const changed = await call('GET', `${other}/events${query}`, { as, headers: { 'if-none-match': tag } });
        expect([changed.status, changed.headers.get('etag') === tag], query).to.deep.equal([200, false]);
      }
    });

    it('only where there was a record', async () => {
      const { status } = await call('GET', '/business/00000000-0000-7000-8000-000000000000/events', {
        as,
        headers: { 'if-none-match': '*' },
      });
      expect(status).to.equal(404);
    });

    it('for documents, too', async () => {
      const document = idOf(await call('POST', '/document', { as, body: { name: 'a' } }));
      const tag = (await call('GET', `/document/${document}/events`, { as })).headers.get('etag') ?? '';
      const same = await call('GET', `/document/${document}/events`, { as, headers: { 'if-none-match': tag } });
      expect(same.status).to.equal(304);
    });
  });

  it('adds stream and metadata as a proof, on every page', async () => {
    const reply = await call('GET', `/business/${id}/events?proof=true&limit=1`, { as });
    const next = await call('GET', nextOf(reply)!, { as });
    for (const { json } of [reply, next])
      expect((json as ReadonlyArray<object>)[0]).to.include.keys('stream', 'metadata', 'hash');
  });

  it('has none of a record that never was', async () => {
    for (const query of ['', '?limit=1', '?order=desc&from=1', '?from=3']) {
      const { status } = await call('GET', `/business/00000000-0000-7000-8000-000000000000/events${query}`, { as });
      expect(status).to.equal(404);
    }
  });
});
