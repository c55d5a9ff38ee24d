import { expect } from 'chai';
import { idOf, type Reply } from '../../support/client.js';
import { nextPage } from '../../support/next-page.js';
import type { StackOfSuite } from '../../support/stack-of-suite.js';

/** What is promised of the events of a record. */
export const historyContract = ({ call }: StackOfSuite): Mocha.Suite =>
  describe('events over HTTP', () => {
    let id: string;
    before(async () => {
      id = idOf(await call('POST', '/business', { body: { name: '0' } }));
      for (const name of ['1', '2', '3', '4']) await call('PUT', `/business/${id}`, { body: { name } });
    });

    const revisions = ({ json }: Reply): ReadonlyArray<number> =>
      (json as ReadonlyArray<{ revision: number }>).map(({ revision }) => revision);
    const pagesFrom = async (path: string): Promise<ReadonlyArray<ReadonlyArray<number>>> => {
      const reply = await call('GET', path);
      expect(reply.status).to.equal(200);
      const next = nextPage(path, reply);
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
      const next = await call('GET', nextPage(`/business/${id}/events`, reply)!);
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
