import { expect } from 'chai';
import { idOf, type Reply } from '../../support/client.js';
import { FORM_TYPE, formOf } from '../../support/multipart-form.js';
import type { StackOfSuite } from '../../support/stack-of-suite.js';

type Shown = Readonly<Record<string, unknown>>;
type Event = Readonly<Record<'type' | 'name' | 'message' | 'data' | 'refs' | 'diff', unknown>>;

const shown = ({ json }: Reply): Shown => json as Shown;

/** What a revert gives back: all but owners, and what tells one revision from another. */
const withoutTimes = ({ revision: _revision, updatedAt: _updatedAt, owners: _owners, ...rest }: Shown): Shown => rest;

/** What is promised of restoring deleted records, and of reverting records to what they were. */
export const undoContract = ({ call }: StackOfSuite): Mocha.Suite =>
  describe('undo over HTTP', () => {
    const codeOf = ({ status, json }: Reply) => [status, (json as { code?: string }).code];
    const lastEvent = async (path: string): Promise<Event> => {
      const { json } = await call('GET', `${path}/events?order=desc&limit=1&diff=true`);
      return (json as ReadonlyArray<Event>)[0]!;
    };

    describe('of businesses', () => {
      let path: string;
      let state: (revision: number) => Promise<Shown>;

      beforeEach(async () => {
        const first = { name: 'Acme', displayName: 'A', phone: '1', parent: 'p' };
        path = `/business/${idOf(await call('POST', '/business', { body: first }))}`;
        await call('POST', `${path}/owner`, { body: { user: 'ann', equity: 50 } });
        await call('PUT', path, { body: { phone: null, website: 'acme.example', displayName: 'B', parent: 'q' } });
        state = async (revision) => shown(await call('GET', `${path}?revision=${revision}`));
      });

      it('restores a deleted one as it was, owners included, by one event', async () => {
        const before = shown(await call('GET', path));
        await call('DELETE', path);
        const restored = await call('POST', `${path}/restore`);
        expect([restored.status, restored.headers.get('etag')]).to.deep.equal([200, '"4"']);
        const { updatedAt, ...rest } = shown(restored);
        const { updatedAt: _before, ...was } = before;
        expect([rest, typeof updatedAt]).to.deep.equal([{ ...was, revision: 4 }, 'string']);
        expect(shown(await call('GET', path))).to.deep.equal(shown(restored));
        expect(await lastEvent(path)).to.deep.include({
          type: 'created',
          name: 'BusinessRestored',
          message: 'business restored',
          data: {},
          refs: [],
        });
        const { json: found } = await call('GET', '/business?owner=ann');
        expect(found).to.deep.include(shown(restored));
      });

      it('leaves one that is not deleted as it is', async () => {
        const before = await call('GET', path);
        const restored = await call('POST', `${path}/restore`, { body: {} });
        expect([restored.status, restored.json]).to.deep.equal([200, before.json]);
        expect(restored.headers.get('etag')).to.equal('"2"');
      });

      it('deletes and restores again and again', async () => {
        for (const step of ['DELETE', 'restore', 'DELETE', 'restore'])
          await call(step === 'DELETE' ? 'DELETE' : 'POST', step === 'DELETE' ? path : `${path}/restore`);
        expect(withoutTimes(shown(await call('GET', path)))).to.deep.equal(withoutTimes(await state(2)));
        expect((await call('GET', `${path}?revision=3`)).status).to.equal(404);
      });

      it('reverts to what it was at a revision, but for its owners, by one event that says what changed', async () => {
        const reverted = await call('POST', `${path}/revert`, { body: { revision: 0 } });
        expect([reverted.status, reverted.headers.get('etag')]).to.deep.equal([200, '"3"']);
        expect(withoutTimes(shown(reverted))).to.deep.equal(withoutTimes(await state(0)));
        expect(shown(reverted)['owners']).to.deep.equal([{ user: 'ann', title: null, equity: 50 }]);
        expect(shown(await call('GET', path))).to.deep.equal(shown(reverted));
        const event = await lastEvent(path);
        expect(event).to.deep.include({
          type: 'updated',
          name: 'BusinessReverted',
          message: 'displayName, parent, phone and website reverted to revision 0',
          data: { to: 0, changes: { displayName: 'A', phone: '1', website: null, parent: 'p' }, previousParent: 'q' },
        });
        expect(event.refs).to.deep.equal([
          { entity: 'q', entityType: 'Business' },
          { entity: 'p', entityType: 'Business' },
        ]);
      });

      it('reverts some fields alone, by the names that are sent or shown', async () => {
        for (const [fields, back] of [
          [['displayName'], { displayname: 'A' }],
          [['displayname', 'phone'], { displayname: 'A', phone: '1' }],
          // both of its names
          [['displayName', 'displayname'], { displayname: 'A' }],
        ] as const) {
          await call('POST', `${path}/revert`, { body: { revision: 2 } });
          const reverted = await call('POST', `${path}/revert`, { body: { revision: 0, fields } });
          expect(withoutTimes(shown(reverted))).to.deep.equal({ ...withoutTimes(await state(2)), ...back });
        }
      });

      it('changes nothing where nothing differs, and may be reverted itself', async () => {
        const same = await call('POST', `${path}/revert`, { body: { revision: 2 } });
        expect([same.status, same.headers.get('etag')]).to.deep.equal([200, '"2"']);
        await call('POST', `${path}/revert`, { body: { revision: 0 } });
        const back = await call('POST', `${path}/revert`, { body: { revision: 2 } });
        expect(withoutTimes(shown(back))).to.deep.equal(withoutTimes(await state(2)));
      });

      it('says beforehand what would change, exactly, and what would not', async () => {
        const preview = await call('POST', `${path}/revert?preview=true`, { body: { revision: 0 } });
        expect([preview.status, preview.headers.get('etag')]).to.deep.equal([200, '"2"']);
        const { changes, ...rest } = shown(preview);
        expect(rest).to.deep.equal({
          revision: 0,
          current: 2,
          notReverted: [
            {
              path: '/owners',
              why: 'owners are changed by their own operations',
              before: [{ user: 'ann', title: null, equity: 50 }],
              after: [],
            },
          ],
        });
        expect(shown(await call('GET', path))['revision']).to.equal(2);
        const headers = { 'If-Match': preview.headers.get('etag') ?? '' };
        expect((await call('POST', `${path}/revert`, { body: { revision: 0 }, headers })).status).to.equal(200);
        expect((await lastEvent(path)).diff).to.deep.equal(changes);
        expect(
          codeOf(await call('POST', `${path}/revert?preview=true`, { body: { revision: 0 }, headers })),
        ).to.deep.equal([412, 'precondition_failed']);
        const fields = { revision: 1, fields: ['phone'] };
        expect(shown(await call('POST', `${path}/revert?preview=true`, { body: fields }))).to.deep.equal({
          revision: 1,
          current: 3,
          changes: [],
          notReverted: [],
        });
      });

      it('says beforehand what a restore would show again', async () => {
        await call('DELETE', path);
        const preview = shown(await call('POST', `${path}/restore?preview=true`));
        expect(preview).to.deep.include({ revision: null, current: 3, notReverted: [] });
        expect((await call('GET', path)).status).to.equal(404);
        await call('POST', `${path}/restore`);
        expect((await lastEvent(path)).diff).to.deep.equal(preview['changes']);
      });

      it('is refused where there is nothing to go back to', async () => {
        const gone = `/business/${idOf(await call('POST', '/business', { body: { name: 'Gone' } }))}`;
        await call('DELETE', gone);
        const nobody = '/business/01900000-0000-7000-8000-000000000000';
        const refused = [
          [gone, 'revert', { revision: 0 }, 404, 'business_not_found'],
          [gone, 'revert?preview=true', { revision: 0 }, 404, 'business_not_found'],
          [gone, 'revert', { revision: 1 }, 404, 'revision_not_found'],
          [path, 'revert', { revision: 3 }, 404, 'revision_not_found'],
          [nobody, 'revert', { revision: 0 }, 404, 'business_not_found'],
          [nobody, 'restore', undefined, 404, 'business_not_found'],
          [nobody, 'restore?preview=true', undefined, 404, 'business_not_found'],
          [path, 'revert', {}, 400, 'validation_failed'],
          [path, 'revert', { revision: -1 }, 400, 'validation_failed'],
          [path, 'revert', { revision: 0.5 }, 400, 'validation_failed'],
          [path, 'revert', { revision: '0' }, 400, 'validation_failed'],
          [path, 'revert', { revision: 0, fields: [] }, 400, 'validation_failed'],
          [path, 'revert', { revision: 0, fields: ['owners'] }, 400, 'validation_failed'],
          [path, 'revert', { revision: 0, fields: ['phone', 'phone'] }, 400, 'validation_failed'],
          [path, 'revert', { revision: 0, fields: 'phone' }, 400, 'validation_failed'],
          [path, 'revert?preview=yes', { revision: 0 }, 400, 'validation_failed'],
        ] as const;
        for (const [record, operation, body, status, code] of refused)
          expect(
            codeOf(await call('POST', `${record}/${operation}`, body === undefined ? {} : { body })),
            `${operation} ${JSON.stringify(body)}`,
          ).to.deep.equal([status, code]);
        const { json } = await call('POST', `${path}/revert?preview=x`, { body: { revision: -1, fields: ['no'] } });
        expect((json as { errors: ReadonlyArray<{ path: string }> }).errors.map((fault) => fault.path)).to.have.members(
          ['preview', 'revision', 'fields'],
        );
      });

      it('answers a key as the first time, also when the record has changed since', async () => {
        const headers = { 'Idempotency-Key': 'revert-it' };
        const body = { revision: 0, fields: ['phone'] };
        const first = await call('POST', `${path}/revert`, { body, headers });
        await call('PUT', path, { body: { phone: '2' } });
        await call('DELETE', path);
        const again = await call('POST', `${path}/revert`, { body, headers });
        expect([again.status, again.json, again.headers.get('idempotent-replayed')]).to.deep.equal([
          200,
          first.json,
          'true',
        ]);
        const other = await call('POST', `${path}/revert`, { body: { revision: 1, fields: ['phone'] }, headers });
        expect(other.status).to.equal(422);
      });

      it('takes the same fields in another order for the same request', async () => {
        const send = (fields: ReadonlyArray<string>): Promise<Reply> =>
          call('POST', `${path}/revert`, { body: { revision: 0, fields }, headers: { 'Idempotency-Key': path } });
        const first = await send(['website', 'phone']);
        const again = await send(['phone', 'website']);
        expect([again.text, again.headers.get('idempotent-replayed')]).to.deep.equal([first.text, 'true']);
      });

      it('lets one of two pass that have the same revision in mind', async () => {
        const headers = { 'If-Match': '"2"' };
        const replies = await Promise.all(
          ['phone', 'website'].map((field) =>
            call('POST', `${path}/revert`, { body: { revision: 0, fields: [field] }, headers }),
          ),
        );
        expect(replies.map(({ status }) => status).sort()).to.deep.equal([200, 412]);
      });
    });

    describe('of documents', () => {
      const send = (method: string, path: string, text: string): Promise<Reply> => {
        const file = { name: 'file', content: Buffer.from(text), filename: `${text}.txt`, type: 'text/x-plan' };
        const body = formOf({ name: 'name', content: 'Plan' }, file);
        return call(method, path, { body, headers: { 'content-type': FORM_TYPE } });
      };
      const content = async (path: string): Promise<string> => (await call('GET', path)).bytes.toString();
      let path: string;

      beforeEach(async () => {
        path = `/document/${idOf(await send('POST', '/document', 'first'))}`;
        await send('PUT', path, 'second');
        await call('PUT', path, { body: { tags: ['a'], entity: 'b1', entityType: 'Lead' } });
      });

      it('deletes one, whose history and files stay, and restores it', async () => {
        const before = shown(await call('GET', path));
        const deleted = await call('DELETE', path);
        expect([deleted.status, withoutTimes(shown(deleted))]).to.deep.equal([200, withoutTimes(before)]);
        for (const method of ['GET', 'PUT', 'DELETE'])
          expect(codeOf(await call(method, path, method === 'PUT' ? { body: {} } : {}))).to.deep.equal([
            404,
            'document_not_found',
          ]);
        expect(codeOf(await call('GET', `${path}/file`))).to.deep.equal([404, 'document_not_found']);
        expect(codeOf(await send('PUT', path, 'third'))).to.deep.equal([404, 'document_not_found']);
        expect((await call('GET', '/document?entity=b1&limit=1000')).json).to.not.deep.include(before);
        expect(await lastEvent(path)).to.deep.include({ type: 'deleted', name: 'DocumentDeleted', data: {} });
        expect(await content(`${path}/file?revision=0`)).to.equal('first');
        expect(await content(`${path}/file?revision=2`)).to.equal('second');

        const restored = await call('POST', `${path}/restore`);
        expect([restored.status, withoutTimes(shown(restored))]).to.deep.equal([200, withoutTimes(before)]);
        expect(shown(await call('GET', path))).to.deep.equal(shown(restored));
        expect(await content(`${path}/file`)).to.equal('second');
        expect(await lastEvent(path)).to.deep.include({ type: 'created', name: 'DocumentRestored', data: {} });
        expect((await call('GET', '/document?entity=b1')).json).to.deep.include(shown(restored));
      });

      it('brings an earlier file back without an upload, with who uploaded it', async () => {
        const then = shown(await call('GET', `${path}?revision=0`));
        const preview = shown(await call('POST', `${path}/revert?preview=true`, { body: { revision: 0 } }));
        const reverted = await call('POST', `${path}/revert`, { body: { revision: 0 } });
        expect([reverted.status, withoutTimes(shown(reverted))]).to.deep.equal([200, withoutTimes(then)]);
        expect(shown(await call('GET', path))).to.deep.equal(shown(reverted));
        expect(await content(`${path}/file`)).to.equal('first');
        const event = await lastEvent(path);
        expect(event).to.deep.include({
          type: 'updated',
          name: 'DocumentReverted',
          message: 'file, entity, entityType and tags reverted to revision 0',
          refs: [{ entity: 'b1', entityType: 'Lead' }],
        });
        expect(event.diff).to.deep.equal(preview['changes']);
      });

      it('reverts the file alone, or the fields alone', async () => {
        await call('POST', `${path}/revert`, { body: { revision: 0, fields: ['file'] } });
        expect([await content(`${path}/file`), shown(await call('GET', path))['tags']]).to.deep.equal(['first', ['a']]);
        await call('POST', `${path}/revert`, { body: { revision: 0, fields: ['tags'] } });
        expect([await content(`${path}/file`), shown(await call('GET', path))['tags']]).to.deep.equal(['first', []]);
      });

      it('takes the file away again where there was none', async () => {
        const bare = `/document/${idOf(await call('POST', '/document', { body: { name: 'Bare' } }))}`;
        const then = withoutTimes(shown(await call('GET', bare)));
        await send('PUT', bare, 'later');
        const reverted = await call('POST', `${bare}/revert`, { body: { revision: 0 } });
        expect(withoutTimes(shown(reverted))).to.deep.equal(then);
        expect(codeOf(await call('GET', `${bare}/file`))).to.deep.equal([404, 'file_not_found']);
      });
    });
  });
