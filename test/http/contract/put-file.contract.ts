import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { contentOf } from '../../support/bodies.js';
import { type Call, idOf, type Reply } from '../../support/client.js';
import { errorIn } from '../../support/error-in.js';
import { FORM_TYPE, formOf } from '../../support/multipart-form.js';
import type { StackOfSuite } from '../../support/stack-of-suite.js';

type Shown = Readonly<Record<string, unknown>>;

/** What is promised of a file that is the body of its request. */
export const putFileContract = ({ stack, call }: StackOfSuite): Mocha.Suite =>
  describe('PUT of a file over HTTP', () => {
    let one: string;
    beforeEach(async () => {
      one = `/document/${idOf(await call('POST', '/document', { body: { name: 'Lease', tags: ['a'] } }))}`;
    });

    const put = (body: string | Buffer, type: string, query = '?originalName=plan.bin', given: Call = {}) =>
      call('PUT', `${one}/file${query}`, { ...given, body, headers: { 'content-type': type, ...given.headers } });
    const eventsOf = async (): Promise<ReadonlyArray<Shown>> =>
      (await call('GET', `${one}/events`)).json as ReadonlyArray<Shown>;
    const contentAt = async (query = ''): Promise<Buffer> => (await call('GET', `${one}/file${query}`)).bytes;
    const shown = ({ status, headers, json }: Reply): ReadonlyArray<unknown> => {
      const { originalName, mimeType, size } = json as Shown;
      return [status, headers.get('etag'), originalName, mimeType, size];
    };

    it('gives a document its file, changes nothing else of it, and appends one event', async () => {
      const before = (await call('GET', one)).json as Shown;
      const content = contentOf(200_000);
      const as = stack().tokenFor('editor', 'ed');
      const reply = await put(content, 'application/x-plan', '?originalName=plan.bin', { as });
      expect(shown(reply)).to.deep.equal([200, '"1"', 'plan.bin', 'application/x-plan', 200_000]);
      const [, event = {}] = await eventsOf();
      const { at, name, message, user, data } = event;
      const { key, ...file } = (data as { readonly file: Shown }).file;
      const sha256 = createHash('sha256').update(content).digest('hex');
      const named = { originalName: 'plan.bin', mimeType: 'application/x-plan', size: 200_000 };
      expect([name, message, user, data, file]).to.deep.equal([
        ...['DocumentUpdated', 'file updated', 'ed'],
        { changes: {}, file: { key, ...file } },
        { ...named, sha256 },
      ]);
      const stamps = { uploadedBy: 'ed', uploadedAt: at, updatedAt: at, revision: 1 };
      expect(reply.json).to.deep.equal({ ...before, ...named, ...stamps });
      expect((await call('GET', one)).json).to.deep.equal(reply.json);
      expect((await contentAt()).equals(content)).to.equal(true);
    });

    it('keeps earlier versions', async () => {
      await put('one', 'text/csv');
      await put('two', 'text/csv');
      expect((await contentAt()).toString()).to.equal('two');
      expect((await contentAt('?revision=1')).toString()).to.equal('one');
    });

    const form = formOf({ name: 'name', content: 'x' }, { name: 'file', content: 'y', filename: 'z' }).toString();
    for (const [content, type, mimeType] of [
      ['{"name":"not the name of the document"', 'application/json', 'application/json'],
      [form, FORM_TYPE, 'multipart/form-data'],
      ['a=b', 'application/x-www-form-urlencoded', 'application/x-www-form-urlencoded'],
      ['a;b', 'Text/CSV; charset=iso-8859-1', 'text/csv'],
      ['%PDF-1.7\n', 'application/octet-stream', 'application/pdf'],
      ['', 'text/csv', 'text/csv'],
    ] as const)
      it(`takes ${JSON.stringify(content).slice(0, 30)} as ${type}, byte for byte`, async () => {
        const size = Buffer.byteLength(content);
        expect(shown(await put(content, type))).to.deep.equal([200, '"1"', 'plan.bin', mimeType, size]);
        expect((await contentAt()).toString()).to.equal(content);
        expect(((await call('GET', one)).json as Shown)['name']).to.equal('Lease');
      });

    it('appends nothing for the same bytes, name and type, and an event for another name', async () => {
      await put('same', 'text/csv');
      expect(shown(await put('same', 'text/csv'))).to.deep.equal([200, '"1"', 'plan.bin', 'text/csv', 4]);
      expect(shown(await put('same', 'text/csv', '?originalName=b'))).to.deep.equal([200, '"2"', 'b', 'text/csv', 4]);
    });

    it('takes the file that a form has given for the same', async () => {
      const body = formOf({ name: 'file', content: 'same', filename: 'plan.bin', type: 'text/csv' });
      await call('PUT', one, { body, headers: { 'content-type': FORM_TYPE } });
      expect(shown(await put('same', 'text/csv'))).to.deep.equal([200, '"1"', 'plan.bin', 'text/csv', 4]);
    });

    it('is conditional on the revision of the document', async () => {
      const stale = await put('a', 'text/csv', undefined, { headers: { 'if-match': '"1"' } });
      expect([stale.status, stale.headers.get('etag')]).to.deep.equal([412, '"0"']);
      expect((await put('a', 'text/csv', undefined, { headers: { 'if-match': '"0"' } })).status).to.equal(200);
      expect((await put('a', 'text/csv', undefined, { headers: { 'if-none-match': '*' } })).status).to.equal(412);
    });

    it('is answered again under its key, and appends once', async () => {
      const headers = { 'idempotency-key': 'key' };
      const first = await put('a', 'text/csv', undefined, { headers });
      await put('b', 'text/csv');
      const again = await put('a', 'text/csv', undefined, { headers });
      expect([again.text, again.headers.get('idempotent-replayed')]).to.deep.equal([first.text, 'true']);
      expect((await contentAt()).toString()).to.equal('b');
      for (const [content, query] of [
        ['c', undefined],
        ['a', '?originalName=other'],
      ] as const)
        expect((await put(content, 'text/csv', query, { headers })).status).to.equal(422);
    });

    it('says why in its event', async () => {
      await put('a', 'text/csv', undefined, { headers: { 'change-reason': 'signed' } });
      expect((await eventsOf()).map(({ reason }) => reason)).to.deep.equal([undefined, 'signed']);
    });

    it('is 404 for a document that is not there, or is deleted', async () => {
      await call('DELETE', one);
      const paths = [one, '/document/00000000-0000-7000-8000-000000000000', '/document/none'];
      for (const path of paths) {
        one = path;
        const reply = await put('a', 'text/csv');
        expect([path, reply.status, errorIn(reply.json)]).to.deep.equal([
          ...[path, 404],
          { name: 'Entity not found', message: 'Entity not found', status: 404, code: 'document_not_found' },
        ]);
      }
    });
  });
