import { expect } from 'chai';
import { idOf } from '../../support/client.js';
import { errorIn } from '../../support/error-in.js';
import type { StackOfSuite } from '../../support/stack-of-suite.js';

/** What is promised of requests that state a condition. */
export const conditionsContract = ({ call }: StackOfSuite): Mocha.Suite =>
  describe('conditional requests over HTTP', () => {
    let one: string;
    beforeEach(async () => {
      one = `/business/${idOf(await call('POST', '/business', { body: { name: 'a' } }))}`;
      await call('PUT', one, { body: { name: 'b' } });
    });

    const statuses = {
      GET: [
        [{ 'if-none-match': '"1"' }, 304],
        [{ 'if-none-match': '"0", "1"' }, 304],
        [{ 'if-none-match': '*' }, 304],
        [{ 'if-none-match': '"0"' }, 200],
        [{ 'if-none-match': 'W/"1"' }, 304],
        [{ 'if-none-match': 'W/"0", W/"1"' }, 304],
        [{ 'if-none-match': 'W/"0"' }, 200],
        [{ 'if-none-match': 'W/1' }, 400],
        [{ 'if-match': 'W/"1"' }, 412],
        [{ 'if-none-match': '1' }, 400],
        [{ 'if-match': '"1"' }, 200],
        [{ 'if-match': '"0"' }, 412],
      ],
      PUT: [
        [{ 'if-match': '"1"' }, 200],
        [{ 'if-match': '"0", "1"' }, 200],
        [{ 'if-match': '*' }, 200],
        [{ 'if-match': '"0"' }, 412],
        [{ 'if-match': '"2"' }, 412],
        [{ 'if-match': 'W/"1"' }, 412],
        [{ 'if-match': '1' }, 400],
        [{ 'if-none-match': '"1"' }, 412],
        [{ 'if-none-match': '*' }, 412],
        [{ 'if-none-match': '"0"' }, 200],
        [{ 'if-none-match': 'W/"1"' }, 200],
      ],
      HEAD: [[{ 'if-none-match': 'W/"1"' }, 304]],
      DELETE: [
        [{ 'if-match': '"0"' }, 412],
        [{ 'if-none-match': '*' }, 412],
        [{ 'if-match': '"' }, 400],
        [{ 'if-match': '"1"' }, 200],
      ],
    } as const;

    for (const [method, cases] of Object.entries(statuses))
      for (const [headers, status] of cases)
        it(`answers ${method} with ${JSON.stringify(headers)} at revision 1 by ${status}`, async () => {
          const body = method === 'PUT' ? { body: { name: 'c' } } : {};
          const reply = await call(method, one, { headers: { ...headers }, ...body });
          expect(reply.status).to.equal(status);
          const after = await call('GET', one);
          if (status >= 400) expect(after.headers.get('etag')).to.equal('"1"');
        });

    it('sends the tag with 304, and no body', async () => {
      const { text, headers } = await call('GET', one, { headers: { 'if-none-match': '"1"' } });
      expect([text, headers.get('etag'), headers.get('content-length')]).to.deep.equal(['', '"1"', null]);
    });

    it('refuses a stale writer even where nothing would change', async () => {
      const stale = await call('PUT', one, { body: { name: 'b' }, headers: { 'if-match': '"0"' } });
      expect([stale.status, errorIn(stale.json)]).to.deep.equal([
        412,
        {
          name: 'Precondition Failed',
          message: 'The conditions of the request (If-Match, If-None-Match) are not met',
          status: 412,
          code: 'precondition_failed',
        },
      ]);
      expect(stale.headers.get('etag')).to.equal('"1"');
    });

    it('guards owners by the revision of their business', async () => {
      const add = (tag: string) =>
        call('POST', `${one}/owner`, { body: { user: 'bob' }, headers: { 'if-match': tag } });
      expect((await add('"0"')).status).to.equal(412);
      expect((await add('"1"')).status).to.equal(200);
      const remove = (tag: string) => call('DELETE', `${one}/owner?ownerId=bob`, { headers: { 'if-match': tag } });
      expect((await remove('"1"')).status).to.equal(412);
      expect((await remove('"2"')).status).to.equal(200);
    });

    it('merges concurrent writers that state no condition, and loses none', async () => {
      const users = Array.from({ length: 20 }, (_, index) => `user ${index}`);
      const replies = await Promise.all(users.map((user) => call('POST', `${one}/owner`, { body: { user } })));
      expect(new Set(replies.map(({ status }) => status))).to.deep.equal(new Set([200]));
      const { owners } = (await call('GET', one)).json as { owners: ReadonlyArray<{ user: string }> };
      expect(owners.map(({ user }) => user)).to.have.members(users);
    });
  });
