import { expect } from 'chai';
import { contentOf } from '../../support/bodies.js';
import { type Call, idOf, type Reply } from '../../support/client.js';
import { follow } from '../../support/event-stream.js';
import type { StackOfSuite } from '../../support/stack-of-suite.js';

type Link = { readonly url: string; readonly expiresAt: string };

const FIRST = contentOf(200_000);
const SECOND = Buffer.from('the second version');

/** What is promised of links for a while. */
export const linksContract = ({ stack, call }: StackOfSuite): Mocha.Suite =>
  describe('links over HTTP', () => {
    let place: string;

    const put = (content: Buffer): Promise<Reply> =>
      call('PUT', `${place}/file?originalName=plan.bin`, { body: content, headers: { 'content-type': 'text/x-plan' } });
    const made = async (path: string, given: Call = {}): Promise<Link> => {
      const { status, json } = await call('POST', path, given);
      expect(status).to.equal(200);
      return json as Link;
    };
    const get = async (url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') => {
      const response = await fetch(new URL(url, stack().baseUrl), { method, headers });
      const { status, headers: got } = response;
      return { status, headers: got, bytes: Buffer.from(await response.arrayBuffer()) };
    };
    const codeOf = ({ bytes }: { readonly bytes: Buffer }): string =>
      (JSON.parse(bytes.toString()) as { readonly code: string }).code;

    beforeEach(async () => {
      place = `/document/${idOf(await call('POST', '/document', { body: { name: 'Floor plan' } }))}`;
      await put(FIRST);
    });

    it('opens a file without a token, again and again, whole, in ranges and under conditions, for any page', async () => {
      const { url } = await made(`${place}/link`, { as: stack().tokenFor('viewer', 'vi') });
      const whole = await get(url);
      expect([whole.status, whole.bytes.equals(FIRST)]).to.deep.equal([200, true]);
      const names = ['cross-origin-resource-policy', 'cache-control', 'referrer-policy', 'x-content-type-options'];
      expect([...names, 'content-security-policy'].map((name) => whole.headers.get(name))).to.deep.equal([
        ...['cross-origin', 'no-store', 'no-referrer', 'nosniff', 'sandbox'],
      ]);
      expect(whole.headers.get('content-disposition')).to.match(/^attachment; filename="plan.bin"/);
      const range = await get(url, { range: 'bytes=100000-150000' });
      expect([range.status, range.bytes.equals(FIRST.subarray(100_000, 150_001))]).to.deep.equal([206, true]);
      const head = await get(url, {}, 'HEAD');
      expect([head.status, head.headers.get('content-length'), head.bytes.length]).to.deep.equal([200, '200000', 0]);
      const known = await get(url, { 'if-none-match': whole.headers.get('etag') ?? '' });
      expect([known.status, known.headers.get('cross-origin-resource-policy')]).to.deep.equal([304, 'cross-origin']);
      expect((await get(url, { range: 'bytes=200000-' })).status).to.equal(416);
    });

    it('stays with its version when another file replaces it, and leads to an earlier one for who may read that', async () => {
      const { url } = await made(`${place}/link`);
      await put(SECOND);
      expect((await get(url)).bytes.equals(FIRST)).to.equal(true);
      expect((await get((await made(`${place}/link`)).url)).bytes.equals(SECOND)).to.equal(true);
      const auditor = { as: stack().tokenFor('auditor') };
      expect((await get((await made(`${place}/link?revision=1`, auditor)).url)).bytes.equals(FIRST)).to.equal(true);
      expect((await call('POST', `${place}/link?revision=1`, { as: stack().tokenFor('viewer') })).status).to.equal(401);
    });

    it('is not made for what is not there to be read', async () => {
      const bare = `/document/${idOf(await call('POST', '/document', { body: { name: 'Bare' } }))}`;
      const refused = async (path: string, given: Call = {}) => {
        const { status, json } = await call('POST', path, given);
        return [status, (json as { readonly code: string }).code];
      };
      expect(await refused(`${bare}/link`)).to.deep.equal([404, 'file_not_found']);
      expect(await refused(`${place}/link?revision=9`)).to.deep.equal([404, 'revision_not_found']);
      expect(await refused('/document/nothing/link')).to.deep.equal([404, 'document_not_found']);
      expect(await refused('/business/nothing/events/link')).to.deep.equal([404, 'business_not_found']);
      expect(await refused(`${place}/link`, { as: undefined })).to.deep.equal([401, 'token_missing']);
      expect(await refused(`${place}/events/link`, { as: stack().tokenFor('viewer') })).to.deep.equal([
        ...[401, 'role_missing'],
      ]);
    });

    it('leads to no file of a deleted document', async () => {
      const { url } = await made(`${place}/link`);
      await call('DELETE', place);
      const gone = await get(url);
      expect([gone.status, codeOf(gone)]).to.deep.equal([404, 'document_not_found']);
      const as = stack().tokenFor('auditor');
      for (const query of ['', '?revision=1']) {
        const { status, json } = await call('POST', `${place}/link${query}`, { as });
        expect([status, (json as { readonly code: string }).code], query).to.deep.equal([404, 'document_not_found']);
      }
    });

    it('opens a feed without a token, which goes on behind the last event that its reader has', async () => {
      const { url } = await made(`${place}/events/link`);
      const address = new URL(url, stack().baseUrl).href;
      const first = await follow(address, '');
      const events = await first.until(({ event }) => event === 'caught-up');
      first.leave();
      expect(events.map(({ data }) => (data as { readonly name?: string }).name)).to.deep.equal([
        ...['DocumentCreated', 'DocumentUpdated', undefined],
      ]);
      const again = await follow(address, '', { 'Last-Event-ID': events[1]?.id });
      expect(await again.until(1)).to.have.nested.property('[0].event', 'caught-up');
      again.leave();
    });

    it('is for one purpose: that to a file opens no feed, and that to a feed no file', async () => {
      const file = (await made(`${place}/link`)).url;
      const feed = (await made(`${place}/events/link`)).url;
      for (const url of [file.replace('/file/', '/events/'), feed.replace('/events/', '/file/')]) {
        const refused = await get(url);
        expect([refused.status, codeOf(refused)]).to.deep.equal([404, 'link_not_valid']);
      }
    });
  });
