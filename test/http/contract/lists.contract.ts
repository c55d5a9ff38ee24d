import { expect } from 'chai';
import { idOf, type Reply } from '../../support/client.js';
import { nextPage } from '../../support/next-page.js';
import type { StackOfSuite } from '../../support/stack-of-suite.js';

const idsOf = ({ json }: Reply): ReadonlyArray<string> =>
  (json as ReadonlyArray<{ _id: string }>).map(({ _id }) => _id);

/** What is promised of lists. */
export const listsContract = ({ call }: StackOfSuite): Mocha.Suite =>
  describe('lists over HTTP', () => {
    let first: string;
    let ids: ReadonlyArray<string>;
    before(async () => {
      // whatever others created before it
      first = idOf(await call('POST', '/business', { body: { name: 'first' } }));
      const created: Array<string> = [];
      for (let index = 0; index < 5; index += 1) {
        const body = { name: index % 2 === 0 ? 'even' : 'odd & co', ein: String(index) };
        created.push(idOf(await call('POST', '/business', { body })));
      }
      ids = created;
    });

    const pagesFrom = async (path: string): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
      const reply = await call('GET', path);
      const next = nextPage(path, reply);
      return [idsOf(reply), ...(next === undefined ? [] : await pagesFrom(next))];
    };

    it('gives all records in the order of their creation, as GET by id gives each', async () => {
      const all = await call('GET', '/business/');
      expect(idsOf(all).slice(-6)).to.deep.equal([first, ...ids]);
      expect(all.headers.get('etag')).to.equal(null);
      const each = await Promise.all(ids.map(async (id) => (await call('GET', `/business/${id}`)).json));
      expect((all.json as ReadonlyArray<unknown>).slice(-5)).to.deep.equal(each);
    });

    it('gives pages that follow each other to the end', async () => {
      expect(await pagesFrom(`/business?after=${first}&limit=2`)).to.deep.equal([
        ids.slice(0, 2),
        ids.slice(2, 4),
        ids.slice(4),
      ]);
      expect(await pagesFrom(`/business/?after=${first}&limit=5`)).to.deep.equal([ids]);
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
      expect(idsOf(await call('GET', '/business')).slice(-6)).to.deep.equal([first, ...ids.slice(0, 4), last]);
    });
  });
