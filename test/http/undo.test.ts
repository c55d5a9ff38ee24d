import { expect } from 'chai';
import { idOf, type Reply } from '../support/client.js';
import { FORM_TYPE, formOf } from '../support/multipart-form.js';
import { stackOfSuite } from '../support/stack-of-suite.js';

type Event = Readonly<Record<'message' | 'name' | 'reason', string>>;

const REASON = { 'Change-Reason': 'by mistake' };
const strict = { prefer: 'handling=strict' };

describe('the details of undoing over HTTP', () => {
  const { call } = stackOfSuite();

  const codeOf = ({ status, json }: Reply) => [status, (json as { code?: string }).code];
  const pathsOf = ({ json }: Reply) =>
    (json as { errors: ReadonlyArray<{ path: string }> }).errors.map(({ path }) => path);

  for (const kind of ['business', 'document'] as const)
    describe(`of a ${kind}`, () => {
      let path: string;
      beforeEach(async () => {
        path = `/${kind}/${idOf(await call('POST', `/${kind}`, { body: { name: 'first' } }))}`;
        await call('PUT', path, { body: { name: 'second' } });
      });

      const events = async (): Promise<ReadonlyArray<Event>> =>
        (await call('GET', `${path}/events`)).json as ReadonlyArray<Event>;

      it('stores the reason of each', async () => {
        await call('DELETE', path, { headers: REASON });
        await call('POST', `${path}/restore`, { headers: REASON });
        await call('POST', `${path}/revert`, { headers: REASON, body: { revision: 0 } });
        const [, , ...undone] = await events();
        expect(undone.map(({ reason }) => reason)).to.deep.equal(['by mistake', 'by mistake', 'by mistake']);
      });

      it('says of each event to which revision it went, also where all else is the same', async () => {
        await call('PUT', path, { body: { name: 'third' } });
        for (const revision of [0, 1, 0, 2]) await call('POST', `${path}/revert`, { body: { revision } });
        expect((await events()).slice(3).map(({ message }) => message)).to.deep.equal(
          [0, 1, 0, 2].map((revision) => `name reverted to revision ${revision}`),
        );
      });

      it('is refused where a condition fails, and appends nothing', async () => {
        const body = { revision: 0 };
        for (const headers of [{ 'If-Match': '"0"' }, { 'If-None-Match': '"1"' }, { 'If-None-Match': '*' }])
          for (const at of ['revert', 'revert?preview=true', 'restore', 'restore?preview=true'])
            expect(codeOf(await call('POST', `${path}/${at}`, { body, headers })), at).to.deep.equal([
              ...[412, 'precondition_failed'],
            ]);
        expect(codeOf(await call('DELETE', path, { headers: { 'If-Match': '"0"' } }))).to.deep.equal([
          ...[412, 'precondition_failed'],
        ]);
        expect(await events()).to.have.length(2);
      });

      it('knows its names alone in strict handling, and ignores others else', async () => {
        const body = { revision: 0, fields: ['name'], field: ['phone'] };
        expect(pathsOf(await call('POST', `${path}/revert?prevew=true`, { body, headers: strict }))).to.have.members([
          ...['prevew', 'field'],
        ]);
        expect(pathsOf(await call('POST', `${path}/restore?revision=0`, { headers: strict }))).to.deep.equal([
          'revision',
        ]);
        expect(pathsOf(await call('DELETE', `${path}?preview=true`))).to.deep.equal(['preview']);
        expect(await events()).to.have.length(2);
        const taken = await call('POST', `${path}/revert`, {
          body: { revision: 0, fields: ['name'] },
          headers: strict,
        });
        expect([taken.status, taken.headers.get('preference-applied')]).to.deep.equal([200, 'handling=strict']);
        expect((await call('POST', `${path}/revert?x=1`, { body: { revision: 1, y: 2 } })).status).to.equal(200);
      });

      it('checks in the order of other changes: shape, record, revision, condition', async () => {
        const headers = { 'if-match': '"7"' };
        const missing = `/${kind}/00000000-0000-7000-8000-000000000000`;
        const revert = async (at: string, body: unknown, more = {}) =>
          codeOf(await call('POST', `${at}/revert`, { body, headers: { ...headers, ...more } }));
        expect(await revert(missing, { revision: 'x' })).to.deep.equal([400, 'validation_failed']);
        expect(await revert(missing, { revision: 9 })).to.deep.equal([404, `${kind}_not_found`]);
        expect(await revert(path, { revision: 9 })).to.deep.equal([404, 'revision_not_found']);
        expect(await revert(path, { revision: Number.MAX_SAFE_INTEGER })).to.deep.equal([404, 'revision_not_found']);
        expect(await revert(path, { revision: 0 })).to.deep.equal([412, 'precondition_failed']);
        await call('DELETE', path);
        expect(await revert(path, { revision: 0 })).to.deep.equal([404, `${kind}_not_found`]);
        expect(await revert(path, { revision: 2 })).to.deep.equal([404, 'revision_not_found']);
        expect(codeOf(await call('POST', `${path}/restore`, { headers }))).to.deep.equal([412, 'precondition_failed']);
        expect(codeOf(await call('POST', `${missing}/restore`, { headers }))).to.deep.equal([404, `${kind}_not_found`]);
      });

      it('takes no body that is none', async () => {
        const bodies: ReadonlyArray<unknown> = [
          ...['', '{', 'null', '[]', '"x"', '7', '{"revision":1e300}', '{"revision":-1}', '{"revision":0.5}'],
          ...['{"revision":"0"}', '{"revision":9007199254740993}', '{"revision":[0]}', '{"revision":null}'],
          ...[['name', 'name'], [['name']], [null], ['__proto__'], ['constructor'], ['_id'], ['revision'], ['']].map(
            (fields) => ({ revision: 0, fields }),
          ),
          ...[null, {}, 'name', { 0: 'name', length: 1 }, Array(20_000).fill('name')].map((fields) => ({
            revision: 0,
            fields,
          })),
        ];
        for (const body of bodies)
          expect((await call('POST', `${path}/revert`, { body })).status, JSON.stringify(body).slice(0, 80)).to.equal(
            400,
          );
        const headers = { 'content-type': 'text/plain' };
        expect((await call('POST', `${path}/revert`, { body: '{"revision":0}', headers })).status).to.equal(415);
        expect((await call('POST', `${path}/revert`, { body: ' '.repeat(300_000) })).status).to.equal(413);
        expect(await events()).to.have.length(2);
      });

      it('carries a key out once, also many times at once, and takes it for that operation alone', async () => {
        const headers = { 'Idempotency-Key': 'once' };
        const body = { revision: 0 };
        const replies = await Promise.all(
          Array.from({ length: 10 }, () => call('POST', `${path}/revert`, { body, headers })),
        );
        expect(replies.map(({ status }) => status)).to.deep.equal(Array(10).fill(200));
        expect(new Set(replies.map(({ text }) => text)).size).to.equal(1);
        expect(await events()).to.have.length(3);
        await call('DELETE', path, { headers });
        await call('POST', `${path}/restore`, { headers });
        await call('POST', `${path}/restore`, { headers });
        expect((await events()).slice(2).map(({ name }) => name.replace(/^[A-Z][a-z]+/, ''))).to.deep.equal([
          ...['Reverted', 'Deleted', 'Restored'],
        ]);
      });

      it('takes a preview with a key for no use of the key', async () => {
        const headers = { 'Idempotency-Key': 'seen' };
        const preview = await call('POST', `${path}/revert?preview=true`, { body: { revision: 0 }, headers });
        expect([preview.status, preview.headers.get('idempotent-replayed')]).to.deep.equal([200, null]);
        const other = await call('POST', `${path}/revert`, { body: { revision: 1 }, headers });
        expect([other.status, await events()]).to.deep.equal([200, await events()]);
        expect((await call('POST', `${path}/revert`, { body: { revision: 0 }, headers })).status).to.equal(200);
        expect(await events()).to.have.length(3);
      });

      it('answers many previews of one caller at once, each of which takes one history', async () => {
        const previews = await Promise.all(
          Array.from({ length: 12 }, () => call('POST', `${path}/revert?preview=true`, { body: { revision: 0 } })),
        );
        expect(previews.map(({ status }) => status)).to.deep.equal(Array(12).fill(200));
      });

      it('makes an event of one of many that delete, or restore, at once', async () => {
        const together = (method: string, at: string) =>
          Promise.all(Array.from({ length: 8 }, () => call(method, at))).then((all) => all.map(({ status }) => status));
        expect((await together('DELETE', path)).sort()).to.deep.equal([200, ...Array<number>(7).fill(404)]);
        expect(await together('POST', `${path}/restore`)).to.deep.equal(Array(8).fill(200));
        expect(await events()).to.have.length(4);
      });
    });

  it('refuses a keyed upload to a deleted document, and answers the repeat of one from before', async () => {
    const path = `/document/${idOf(await call('POST', '/document', { body: { name: 'Plan' } }))}`;
    const form = formOf({ name: 'file', filename: 'a.txt', type: 'text/x-plan', content: 'content' });
    const upload = (key: string) =>
      call('PUT', path, { body: form, headers: { 'content-type': FORM_TYPE, 'Idempotency-Key': key } });
    const first = await upload('before');
    await call('DELETE', path);
    const again = await upload('before');
    expect([again.status, again.json, again.headers.get('idempotent-replayed')]).to.deep.equal([
      200,
      first.json,
      'true',
    ]);
    expect(codeOf(await upload('after'))).to.deep.equal([404, 'document_not_found']);
    await call('POST', `${path}/restore`);
    expect((await upload('after')).status).to.equal(200);
  });
});
