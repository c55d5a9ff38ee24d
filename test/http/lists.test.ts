import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { idOf, type Reply } from '../support/client.js';
import { stackOfSuite } from '../support/stack-of-suite.js';

const idsOf = ({ json }: Reply): ReadonlyArray<string> =>
  (json as ReadonlyArray<{ _id: string }>).map(({ _id }) => _id);

/** A link is relative to the address that was asked. */
const nextOf = (path: string, { headers }: Reply): string | undefined => {
  const [, query] = /^<(\?[^>]*)>; rel="next"$/.exec(headers.get('link') ?? '') ?? [];
  return query === undefined ? undefined : path.replace(/(\?.*)?$/, query);
};

describe('lists over HTTP', () => {
  let ids: ReadonlyArray<string>;
  const { call } = stackOfSuite();
  before(async () => {
    const created: Array<string> = [];
    for (let index = 0; index < 5; index += 1) {
      const body = { name: index % 2 === 0 ? 'even' : 'odd & co', ein: String(index) };
      created.push(idOf(await call('POST', '/business', { body })));
    }
    ids = created;
  });

  const pagesFrom = async (path: string): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
    const reply = await call('GET', path);
    const next = nextOf(path, reply);
    return [idsOf(reply), ...(next === undefined ? [] : await pagesFrom(next))];
  };

  it('gives all records in the order of their creation, as GET by id gives each', async () => {
    const all = await call('GET', '/business/');
    expect(idsOf(all)).to.deep.equal(ids);
    expect(all.headers.get('etag')).to.equal(null);
    const each = await Promise.all(ids.map(async (id) => (await call('GET', `/business/${id}`)).json));
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
    const found = async (query: string) => idsOf(await call('GET', `/business?${query}`));
    expect(await found('name=even&ein=2')).to.deep.equal([ids[2]]);
    expect(await found('name=even&ein=1')).to.deep.equal([]);
    expect(await found('name=')).to.deep.equal([]);
    expect(await found('unknown=1&name=even')).to.have.length(3);
  });

  it('goes on after a record, also one that was deleted', async () => {
    await call('DELETE', `/business/${ids[4]!}`);
    const last = idOf(await call('POST', '/business', { body: { name: 'last' } }));
    expect(idsOf(await call('GET', `/business?after=${ids[4]!}`))).to.deep.equal([last]);
    expect(idsOf(await call('GET', `/business?after=${last}&limit=3`))).to.deep.equal([]);
    expect(idsOf(await call('GET', '/business'))).to.deep.equal([...ids.slice(0, 4), last]);
  });
});

describe('finding records over HTTP', () => {
  const { call } = stackOfSuite();
  before(async () => {
    for (const [name, user] of [
      ['Zebra Holding', 'ann'],
      ['acme holding', 'bob'],
      ['Acme Foods', 'ann'],
      ['Äcker & Söhne', 'ann'],
      ['Acme Holding', 'cid'],
    ] as const) {
      const id = idOf(await call('POST', '/business', { body: { name, city: 'Oslo' } }));
      await call('POST', `/business/${id}/owner`, { body: { user } });
    }
  });

  const namesOf = ({ json }: Reply): ReadonlyArray<string> =>
    (json as ReadonlyArray<{ name: string }>).map(({ name }) => name);
  const all = async (query: string): Promise<ReadonlyArray<string>> => namesOf(await call('GET', `/business?${query}`));
  const paged = async (path: string): Promise<ReadonlyArray<string>> => {
    const reply = await call('GET', path);
    expect(reply.status).to.equal(200);
    const next = nextOf(path, reply);
    return [...namesOf(reply), ...(next === undefined ? [] : await paged(next))];
  };

  const asked: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ['q=holding', ['Zebra Holding', 'acme holding', 'Acme Holding']],
    ['q=hold+ACM', ['acme holding', 'Acme Holding']],
    ['q=%C3%84CK+s%C3%B6hne', ['Äcker & Söhne']],
    ['q=nothing', []],
    ['q=%26', []],
    ['q=', []],
    ['owner=ann', ['Zebra Holding', 'Acme Foods', 'Äcker & Söhne']],
    ['owner=ann&q=acme', ['Acme Foods']],
    ['owner=an', []],
    ['sort=created&q=holding', ['Zebra Holding', 'acme holding', 'Acme Holding']],
    ['sort=-created&owner=ann', ['Äcker & Söhne', 'Acme Foods', 'Zebra Holding']],
    ['sort=name', ['Acme Foods', 'Acme Holding', 'Zebra Holding', 'acme holding', 'Äcker & Söhne']],
    ['sort=-name', ['Äcker & Söhne', 'acme holding', 'Zebra Holding', 'Acme Holding', 'Acme Foods']],
    ['sort=-name&q=acme', ['acme holding', 'Acme Holding', 'Acme Foods']],
    ['sort=name&owner=ann&createdSince=2026-01-01T00:00:00Z', ['Acme Foods', 'Zebra Holding', 'Äcker & Söhne']],
    ['updatedSince=9999-01-01T00:00:00Z&sort=name', []],
    ['createdSince=2026-01-01T00:00:00Z&q=foods', ['Acme Foods']],
  ];
  for (const [query, names] of asked)
    it(`gives ${JSON.stringify(names)} for ${query}, as a whole and by pages`, async () => {
      expect(await all(query)).to.deep.equal(names);
      for (const limit of [1, 2, 5]) expect(await paged(`/business?${query}&limit=${limit}`)).to.deep.equal(names);
    });

  it('takes an id for no place in a sorted list, and says what would be one', async () => {
    const { json } = await call('GET', '/business?limit=1');
    const [{ _id }] = json as [{ _id: string }];
    const forged = (...parts: ReadonlyArray<string>): string =>
      Buffer.from(JSON.stringify(parts)).toString('base64url');
    const afters = [_id, forged('name', _id, 'a\0b'), forged('name', 'x', 'a'), forged('name', randomUUID(), 'a')];
    for (const after of afters)
      for (const limit of ['', '&limit=1']) {
        const refused = await call('GET', `/business?sort=name&after=${after}${limit}`);
        expect([refused.status, (refused.json as { errors: unknown }).errors], after + limit).to.deep.equal([
          400,
          [{ path: 'after', message: 'must be what the Link of a page has given under the same sort' }],
        ]);
      }
  });

  it('finds documents by name, file and tags, and sorts them', async () => {
    for (const body of [
      { name: 'Lease', tags: ['flat', 'Oslo 2026'] },
      { name: 'Deed', tags: [] },
    ])
      await call('POST', '/document', { body });
    const named = async (query: string) => namesOf(await call('GET', `/document?${query}`));
    expect(await named('q=lea')).to.deep.equal(['Lease']);
    expect(await named('q=oslo+20+flat')).to.deep.equal(['Lease']);
    expect(await named('sort=name')).to.deep.equal(['Deed', 'Lease']);
    expect(await named('sort=name&q=d')).to.deep.equal(['Deed']);
  });
});

describe('events over HTTP', () => {
  let id: string;
  const { call } = stackOfSuite();
  before(async () => {
    id = idOf(await call('POST', '/business', { body: { name: '0' } }));
    for (const name of ['1', '2', '3', '4']) await call('PUT', `/business/${id}`, { body: { name } });
  });

  const revisions = ({ json }: Reply): ReadonlyArray<number> =>
    (json as ReadonlyArray<{ revision: number }>).map(({ revision }) => revision);
  const pagesFrom = async (path: string): Promise<ReadonlyArray<ReadonlyArray<number>>> => {
    const reply = await call('GET', path);
    expect(reply.status).to.equal(200);
    const next = nextOf(path, reply);
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
    const { json } = await call('GET', `/business/${id}/events?from=4`);
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
      call(method, `/business/${id}/events${query}`, { headers });
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
      const other = `/business/${idOf(await call('POST', '/business', { body: { name: 'a' } }))}`;
      for (const query of ['', '?limit=1', '?from=3', '?order=desc']) {
        const tag = (await call('GET', `${other}/events${query}`)).headers.get('etag') ?? '';
        await call('PUT', other, { body: { name: `as of ${query}` } });
        const changed = await call('GET', `${other}/events${query}`, { headers: { 'if-none-match': tag } });
        expect([changed.status, changed.headers.get('etag') === tag], query).to.deep.equal([200, false]);
      }
    });

    it('only where there was a record', async () => {
      const { status } = await call('GET', '/business/00000000-0000-7000-8000-000000000000/events', {
        headers: { 'if-none-match': '*' },
      });
      expect(status).to.equal(404);
    });

    it('for documents, too', async () => {
      const document = idOf(await call('POST', '/document', { body: { name: 'a' } }));
      const tag = (await call('GET', `/document/${document}/events`)).headers.get('etag') ?? '';
      const same = await call('GET', `/document/${document}/events`, { headers: { 'if-none-match': tag } });
      expect(same.status).to.equal(304);
    });
  });

  it('adds stream and metadata as a proof, on every page', async () => {
    const reply = await call('GET', `/business/${id}/events?proof=true&limit=1`);
    const next = await call('GET', nextOf(`/business/${id}/events`, reply)!);
    for (const { json } of [reply, next])
      expect((json as ReadonlyArray<object>)[0]).to.include.keys('stream', 'metadata', 'hash');
  });

  it('has none of a record that never was', async () => {
    for (const query of ['', '?limit=1', '?order=desc&from=1', '?from=3']) {
      const { status } = await call('GET', `/business/00000000-0000-7000-8000-000000000000/events${query}`);
      expect(status).to.equal(404);
    }
  });
});
