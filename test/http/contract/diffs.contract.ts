import { expect } from 'chai';
import { type Call, idOf } from '../../support/client.js';
import { FORM_TYPE, formOf } from '../../support/multipart-form.js';
import type { StackOfSuite } from '../../support/stack-of-suite.js';

type Shown = Readonly<Record<string, unknown>>;
type Change = { readonly path: string; readonly before: unknown; readonly after: unknown };

const form = (content: string): Pick<Call, 'body' | 'headers'> => ({
  body: formOf({ name: 'name', content: 'Lease' }, { name: 'file', filename: 'a.txt', type: 'text/plain', content }),
  headers: { 'content-type': FORM_TYPE },
});

/** What is promised of what each event changed. */
export const diffsContract = ({ stack, call }: StackOfSuite): Mocha.Suite =>
  describe('what each event changed, over HTTP', () => {
    let events: string;
    const get = (path: string, headers: Readonly<Record<string, string>> = {}) => call('GET', path, { headers });
    const diffsOf = async (path: string): Promise<ReadonlyArray<ReadonlyArray<Change>>> =>
      ((await get(path)).json as ReadonlyArray<Shown>).map(({ diff }) => diff as ReadonlyArray<Change>);

    before(async () => {
      const id = idOf(await call('POST', '/business', { body: { name: 'Acme', displayName: 'A', netWorth: 1.5 } }));
      const one = `/business/${id}`;
      events = `${one}/events`;
      await call('PUT', one, { body: { phone: '1', netWorth: null }, headers: { 'change-reason': 'as told' } });
      await call('POST', `${one}/owner`, { body: { user: 'a.b/c', title: 'CEO' } });
      await call('PUT', `${one}/owner?ownerId=a.b/c`, { body: { title: null, equity: 60 } });
      await call('DELETE', `${one}/owner?ownerId=a.b/c`);
      await call('DELETE', one);
    });

    const changes: ReadonlyArray<ReadonlyArray<Change>> = [
      [
        { path: '/name', before: null, after: 'Acme' },
        { path: '/displayname', before: null, after: 'A' },
        { path: '/netWorth', before: null, after: 1.5 },
      ],
      [
        { path: '/phone', before: null, after: '1' },
        { path: '/netWorth', before: 1.5, after: null },
      ],
      [{ path: '/owners/a.b~1c', before: null, after: { user: 'a.b/c', title: 'CEO', equity: null } }],
      [
        { path: '/owners/a.b~1c/equity', before: null, after: 60 },
        { path: '/owners/a.b~1c/title', before: 'CEO', after: null },
      ],
      [{ path: '/owners/a.b~1c', before: { user: 'a.b/c', title: null, equity: 60 }, after: null }],
      [
        { path: '/name', before: 'Acme', after: null },
        { path: '/displayname', before: 'A', after: null },
        { path: '/phone', before: '1', after: null },
      ],
    ];
    // the order in which they are told is no promise
    const sorted = (all: ReadonlyArray<ReadonlyArray<Change>>): ReadonlyArray<ReadonlyArray<Change>> =>
      all.map((one) => one.toSorted((a, b) => (a.path < b.path ? -1 : 1)));

    it('is told of a business and its owners, in both directions and from any event on', async () => {
      expect(sorted(await diffsOf(`${events}?diff=true`))).to.deep.equal(sorted(changes));
      expect(sorted(await diffsOf(`${events}?diff=true&order=desc`))).to.deep.equal(sorted(changes.toReversed()));
      expect(sorted(await diffsOf(`${events}?diff=true&from=3&limit=2`))).to.deep.equal(sorted(changes.slice(3, 5)));
      expect(sorted(await diffsOf(`${events}?diff=true&order=desc&limit=1`))).to.deep.equal(sorted(changes.slice(5)));
    });

    it('is told of a document, also when nothing of its file is another one but the content', async () => {
      const document = `/document/${idOf(await call('POST', '/document', { ...form('one') }))}`;
      await call('PUT', document, { body: { tags: ['x'], description: 'y' } });
      await call('PUT', document, { ...form('two') });
      const told = await diffsOf(`${document}/events?diff=true`);
      const valueAt = (event: number, path: string): unknown => {
        const { before = 'nothing', after = 'nothing' } = told[event]?.find((change) => change.path === path) ?? {};
        return [before, after];
      };
      expect(told[0]?.map(({ path }) => path)).to.have.members([
        ...['/type', '/entityType', '/name', '/originalName', '/uploadedBy', '/uploadedAt', '/mimeType', '/size'],
        '/sha256',
      ]);
      expect([valueAt(0, '/size'), valueAt(0, '/mimeType')]).to.deep.equal([
        [null, 3],
        [null, 'text/plain'],
      ]);
      expect(sorted(told.slice(1, 2))).to.deep.equal([
        [
          { path: '/description', before: null, after: 'y' },
          { path: '/tags', before: [], after: ['x'] },
        ],
      ]);
      expect([valueAt(2, '/sha256'), valueAt(2, '/size')]).to.deep.equal([
        [
          '7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed',
          '3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3',
        ],
        ['nothing', 'nothing'],
      ]);
    });

    it('comes beside the reason and the proof, and is not there unless it is asked for', async () => {
      const [event] = (await get(`${events}?diff=true&proof=true&from=1&limit=1`)).json as [Shown];
      expect(event).to.include({ reason: 'as told' }).and.to.include.all.keys('diff', 'stream', 'metadata');
      for (const query of ['', '?diff=false', '?proof=true'])
        for (const plain of (await get(`${events}${query}`)).json as ReadonlyArray<Shown>)
          expect(plain).not.to.have.property('diff');
    });

    it('has an entity tag of its own, the same of GET and HEAD', async () => {
      const tagOf = async (query: string, method = 'GET'): Promise<string | null> =>
        (await call(method, `${events}${query}`)).headers.get('etag');
      const queries = ['', '?proof=true', '?diff=true', '?diff=true&proof=true', '?diff=true&order=desc&limit=2'];
      const tags = await Promise.all(queries.map((query) => tagOf(query)));
      expect(new Set(tags).size).to.equal(queries.length);
      expect(await Promise.all(queries.map((query) => tagOf(query, 'HEAD')))).to.deep.equal(tags);
      const kept = await get(`${events}?diff=true`, { 'if-none-match': String(tags[2]) });
      expect(kept.status).to.equal(304);
      expect((await get(`${events}?diff=true`, { 'if-none-match': String(tags[0]) })).status).to.equal(200);
      expect((await get(`${events}?diff=true`, { 'if-match': String(tags[0]) })).status).to.equal(412);
    });

    it('is in the pages that Link leads to', async () => {
      for (const order of ['asc', 'desc']) {
        const all: Array<ReadonlyArray<Change>> = [];
        let next: string | undefined = `${events}?diff=true&limit=4&order=${order}`;
        while (next !== undefined) {
          all.push(...(await diffsOf(next)));
          const link: string | null = (await get(next)).headers.get('link');
          const [, query]: ReadonlyArray<string | undefined> = /<(\?.*?)>; rel="next"/.exec(link ?? '') ?? [];
          next = query === undefined ? undefined : `${events}${query}`;
        }
        expect(sorted(all)).to.deep.equal(sorted(order === 'asc' ? changes : changes.toReversed()));
      }
    });

    it('is refused unless it is true or false, once', async () => {
      for (const query of ['diff=1', 'diff=', 'diff=true&diff=true']) {
        const { status, json } = await get(`${events}?${query}`);
        expect([status, (json as Shown)['errors']]).to.deep.equal([
          400,
          [{ path: 'diff', message: 'expected true or false, once' }],
        ]);
      }
    });

    it('is 404 of a record that never was, and needs a role that may read events', async () => {
      const unknown = '/business/00000000-0000-7000-8000-000000000000/events?diff=true';
      expect((await get(unknown)).status).to.equal(404);
      expect((await call('GET', `${events}?diff=true`, { as: stack().tokenFor('viewer') })).status).to.equal(401);
    });
  });
