import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { idOf, type Reply } from '../../support/client.js';
import { nextPage } from '../../support/next-page.js';
import type { StackOfSuite } from '../../support/stack-of-suite.js';

/** What is promised of lists by what records contain, and of their order. */
export const findingContract = ({ call }: StackOfSuite): Mocha.Suite =>
  describe('finding records over HTTP', () => {
    // of all businesses those of this suite
    const found = '/business?parent=finding';
    before(async () => {
      for (const [name, user] of [
        ['Zebra Holding', 'ann'],
        ['acme holding', 'bob'],
        ['Acme Foods', 'ann'],
        ['Äcker & Söhne', 'ann'],
        ['Acme Holding', 'cid'],
      ] as const) {
        const id = idOf(await call('POST', '/business', { body: { name, city: 'Oslo', parent: 'finding' } }));
        await call('POST', `/business/${id}/owner`, { body: { user } });
      }
    });

    const aWord = (): string => `w${randomUUID().replaceAll('-', '')}`;
    const namesOf = ({ json }: Reply): ReadonlyArray<string> =>
      (json as ReadonlyArray<{ name: string }>).map(({ name }) => name);
    const all = async (query: string): Promise<ReadonlyArray<string>> =>
      namesOf(await call('GET', `${found}&${query}`));
    const paged = async (path: string): Promise<ReadonlyArray<string>> => {
      const reply = await call('GET', path);
      expect(reply.status).to.equal(200);
      const next = nextPage(path, reply);
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
        for (const limit of [1, 2, 5]) expect(await paged(`${found}&${query}&limit=${limit}`)).to.deep.equal(names);
      });

    it('takes an id for no place in a sorted list, and says what would be one', async () => {
      const { json } = await call('GET', `${found}&limit=1`);
      const [{ _id }] = json as [{ _id: string }];
      const forged = (...parts: ReadonlyArray<string>): string =>
        Buffer.from(JSON.stringify(parts)).toString('base64url');
      const afters = [_id, forged('name', _id, 'a\0b'), forged('name', 'x', 'a'), forged('name', randomUUID(), 'a')];
      for (const after of afters)
        for (const limit of ['', '&limit=1']) {
          const refused = await call('GET', `${found}&sort=name&after=${after}${limit}`);
          expect([refused.status, (refused.json as { errors: unknown }).errors], after + limit).to.deep.equal([
            400,
            [{ path: 'after', message: 'must be what the Link of a page has given under the same sort' }],
          ]);
        }
    });

    it('finds documents by name, file and tags, and sorts them', async () => {
      for (const body of [
        { name: 'Lease', type: 'Campaign', tags: ['flat', 'Oslo 2026'] },
        { name: 'Deed', type: 'Campaign', tags: [] },
      ])
        await call('POST', '/document', { body });
      const named = async (query: string) => namesOf(await call('GET', `/document?type=Campaign&${query}`));
      expect(await named('q=lea')).to.deep.equal(['Lease']);
      expect(await named('q=oslo+20+flat')).to.deep.equal(['Lease']);
      expect(await named('sort=name')).to.deep.equal(['Deed', 'Lease']);
      expect(await named('sort=name&q=d')).to.deep.equal(['Deed']);
    });

    it('finds documents of several kinds, and takes a comma for itself where values are no closed list', async () => {
      const tag = 'several, of them';
      for (const [name, type] of [
        ['one', 'Offer'],
        ['two', 'Lead'],
        ['three', 'Image'],
      ] as const)
        await call('POST', '/document', { body: { name, type, tags: [tag] } });
      const found = async (query: string) =>
        namesOf(await call('GET', `/document?tag=${encodeURIComponent(tag)}&${query}`));
      expect(await found('type=Offer,Lead')).to.deep.equal(['one', 'two']);
      expect(await found('type=Lead%2COffer&sort=-created')).to.deep.equal(['two', 'one']);
      expect(await found('type=Offer,Offer')).to.deep.equal(['one']);
      expect(await found('entityType=Image,Lead&type=Image,Offer')).to.deep.equal(['three']);
      expect(await found('type=Offer,Lead&limit=1')).to.deep.equal(['one']);
      // a kind alone that there is not matches nothing
      expect([await found('type=Nothing'), await found('type=')]).to.deep.equal([[], []]);
      for (const wrong of ['Offer,Nothing', 'Offer,', ',', 'Offer,%20Lead', 'offer,Lead']) {
        const { status, json } = await call('GET', `/document?type=${wrong}`);
        expect([status, (json as { errors: [{ path: string }] }).errors[0].path], wrong).to.deep.equal([400, 'type']);
      }
    });

    it('says how many records a list has, on any page of it and without its body', async () => {
      const headers = { prefer: 'count=exact' };
      const counted = async (path: string, method = 'GET', asked = headers) => {
        const reply = await call(method, path, { headers: asked });
        return ['x-total-count', 'preference-applied'].map((name) => reply.headers.get(name));
      };
      const first = await call('GET', `${found}&limit=2`, { headers });
      const second = nextPage(`${found}&limit=2`, first) ?? '';
      for (const path of [found, `${found}&limit=1`, second, `${found}&limit=1000`, `${found}&sort=-name&limit=2`])
        for (const method of ['GET', 'HEAD'])
          expect(await counted(path, method), `${method} ${path}`).to.deep.equal(['5', 'count=exact']);
      expect(await counted(`${found}&q=acme&limit=1`)).to.deep.equal(['3', 'count=exact']);
      expect(await counted(`${found}&name=nobody`)).to.deep.equal(['0', 'count=exact']);
      expect(await counted(`${found}&ein=`)).to.deep.equal(['0', 'count=exact']);
      const tag = aWord();
      for (const type of ['Offer', 'Lead', 'Image'])
        await call('POST', '/document', { body: { name: 'counted', type, tags: [tag] } });
      expect(await counted(`/document?tag=${tag}&type=Offer,Lead&limit=1`)).to.deep.equal(['2', 'count=exact']);
      const both = { prefer: 'handling=strict, count="exact"' };
      expect(await counted(`${found}&limit=1`, 'GET', both)).to.deep.equal(['5', 'count=exact, handling=strict']);
      for (const prefer of ['count', 'count=planned', 'handling=lenient'])
        expect(await counted(found, 'GET', { prefer }), prefer).to.deep.equal([null, null]);
      // where nothing is listed there is nothing to count, and nobody says that it was
      expect(await counted('/me')).to.deep.equal([null, null]);
    });

    it('gives the records of some ids, in the order of the list', async () => {
      const [zebra, , foods, , holding] = (await call('GET', found)).json as ReadonlyArray<{ _id: string }>;
      const ids = [holding, zebra, foods].map((record) => record?._id).join(',');
      const of = async (query: string) => namesOf(await call('GET', `/business?${query}`));
      expect(await of(`ids=${ids}`)).to.deep.equal(['Zebra Holding', 'Acme Foods', 'Acme Holding']);
      expect(await of(`ids=${ids},${ids},unknown,${randomUUID()}&sort=name`)).to.deep.equal([
        'Acme Foods',
        'Acme Holding',
        'Zebra Holding',
      ]);
      expect(await of(`ids=${ids}&q=acme&owner=ann`)).to.deep.equal(['Acme Foods']);
      expect(await paged(`/business?ids=${ids}&limit=2`)).to.deep.equal([
        'Zebra Holding',
        'Acme Foods',
        'Acme Holding',
      ]);
      expect([await of('ids='), await of('ids=,')]).to.deep.equal([[], []]);
      const many = (count: number) => Array.from({ length: count }, () => randomUUID()).join(',');
      expect(await of(`ids=${many(100)}`)).to.deep.equal([]);
      const { status, json } = await call('GET', `/business?ids=${many(101)}`);
      expect([status, (json as { errors: unknown }).errors]).to.deep.equal([
        400,
        [{ path: 'ids', message: 'expected at most 100 ids, separated by commas, once' }],
      ]);
    });

    it('finds what has U+FFFD in its name, by every parameter that takes text', async () => {
      const name = 'a\ufffdb';
      const id = idOf(await call('POST', '/business', { body: { name, parent: name } }));
      for (const query of ['name', 'parent', 'q']) {
        const { json } = await call('GET', `/business?${query}=${encodeURIComponent(name)}`);
        expect(
          (json as ReadonlyArray<{ _id: string }>).map(({ _id }) => _id),
          query,
        ).to.deep.equal([id]);
      }
    });
  });
