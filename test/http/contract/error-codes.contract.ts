import { expect } from 'chai';
import { idOf, type Reply } from '../../support/client.js';
import type { StackOfSuite } from '../../support/stack-of-suite.js';

const codeOf = ({ json }: Reply): unknown => (json as { readonly code?: unknown }).code;

/** What is promised of the codes of errors that what is stored decides on. */
export const errorCodesContract = ({ call }: StackOfSuite): Mocha.Suite =>
  describe('the codes of errors', () => {
    it('tell a state that was not from a record that never was', async () => {
      const id = idOf(await call('POST', '/business', { body: { name: 'a' } }));
      const one = `/business/${id}`;
      const asOf = async (query: string): Promise<unknown> => codeOf(await call('GET', `${one}?${query}`));
      expect(await asOf('revision=1')).to.equal('revision_not_found');
      expect(await asOf('at=2000-01-01T00:00:00Z')).to.equal('revision_not_found');
      await call('DELETE', one);
      expect(await asOf('revision=1')).to.equal('revision_not_found');
      expect(await asOf(`at=${new Date().toISOString()}`)).to.equal('revision_not_found');
      expect(codeOf(await call('GET', one))).to.equal('business_not_found');
      for (const query of ['revision=0', 'at=2000-01-01T00:00:00Z'])
        expect(codeOf(await call('GET', `/business/00000000-0000-7000-8000-000000000000?${query}`)), query).to.equal(
          'business_not_found',
        );
    });

    it('tell a document without a file from one that there is not', async () => {
      const id = idOf(await call('POST', '/document', { body: { name: 'a' } }));
      const unknown = '/document/00000000-0000-7000-8000-000000000000/file';
      expect(codeOf(await call('GET', `/document/${id}/file`))).to.equal('file_not_found');
      expect(codeOf(await call('GET', `/document/${id}/file?revision=0`))).to.equal('file_not_found');
      expect(codeOf(await call('GET', `/document/${id}/file?revision=1`))).to.equal('revision_not_found');
      expect(codeOf(await call('GET', unknown))).to.equal('document_not_found');
      expect(codeOf(await call('GET', `${unknown}?revision=0`))).to.equal('document_not_found');
    });

    it('tell a missing owner from a missing business', async () => {
      const id = idOf(await call('POST', '/business', { body: { name: 'a' } }));
      const removed = await call('DELETE', `/business/${id}/owner/bob`);
      expect([removed.status, codeOf(removed)]).to.deep.equal([404, 'owner_not_found']);
      const unknown = await call('DELETE', '/business/00000000-0000-7000-8000-000000000000/owner/bob');
      expect([unknown.status, codeOf(unknown)]).to.deep.equal([404, 'business_not_found']);
    });

    it('name a cursor that is none', async () => {
      const after = '00000000-0000-7000-8000-000000000000';
      const reply = await call('GET', `/business?limit=1&after=${after}`);
      expect([reply.status, codeOf(reply)]).to.deep.equal([400, 'cursor_unknown']);
    });

    it('come with a 412 that has the tag to be asked with, to GET and to PUT', async () => {
      const id = idOf(await call('POST', '/business', { body: { name: 'a' } }));
      const one = `/business/${id}`;
      const events = (await call('GET', `${one}/events`)).headers.get('etag');
      const stale = { headers: { 'if-match': '"7"' } };
      const replies = [
        await call('GET', one, stale),
        await call('PUT', one, { ...stale, body: { name: 'b' } }),
        await call('GET', `${one}/events`, stale),
        await call('POST', '/business', { ...stale, body: { name: 'b' } }),
      ];
      expect(replies.map((reply) => [reply.status, codeOf(reply), reply.headers.get('etag')])).to.deep.equal(
        ['"0"', '"0"', events, null].map((tag) => [412, 'precondition_failed', tag]),
      );
    });
  });
