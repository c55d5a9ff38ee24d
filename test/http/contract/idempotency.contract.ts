import { expect } from 'chai';
import { commandIdsOf } from '../../../src/application/command-context.js';
import { idOf } from '../../support/client.js';
import { errorIn } from '../../support/error-in.js';
import type { StackOfSuite } from '../../support/stack-of-suite.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

/** What is promised of a request that is sent again. */
export const idempotencyContract = ({ stack, call }: StackOfSuite): Mocha.Suite =>
  describe('Idempotency-Key over HTTP', () => {
    let count = 0;
    const key = (text = `key-${(count += 1)}`): Readonly<Record<string, string>> => ({ 'idempotency-key': text });

    const revisionOf = async (id: string): Promise<string | null> =>
      (await call('GET', `/business/${id}`)).headers.get('etag');

    it('answers the same create again and appends nothing', async () => {
      const headers = key();
      const create = () => call('POST', '/business', { headers, body: { name: 'a', dba: 'b' } });
      const first = await create();
      await call('PUT', `/business/${idOf(first)}`, { body: { name: 'changed since' } });
      const again = await create();
      expect([again.status, again.text]).to.deep.equal([200, first.text]);
      expect([first, again].map((reply) => reply.headers.get('idempotent-replayed'))).to.deep.equal([null, 'true']);
      for (const name of ['etag', 'location']) expect(again.headers.get(name)).to.equal(first.headers.get(name));
      expect(await revisionOf(idOf(first))).to.equal('"1"');
      // as keys have been remembered from the beginning
      const scope = { actor: 'alice', correlationId: '', operation: 'POST /api/v1/business' };
      const { entityId } = commandIdsOf(systemRuntime.random, { ...scope, idempotencyKey: headers['idempotency-key'] });
      expect(idOf(first)).to.equal(entityId);
    });

    it('creates once when the same request comes many times at once', async () => {
      const headers = key();
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => call('POST', '/business/', { headers, body: { name: 'a' } })),
      );
      expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).to.equal(1);
      expect(await revisionOf(idOf(replies[0]!))).to.equal('"0"');
    });

    it('sees the same request behind another order of keys, unknown keys and a trailing slash', async () => {
      const headers = key();
      const first = await call('POST', '/business', { headers, body: { name: 'a', dba: 'b' } });
      const again = await call('POST', '/business/', { headers, body: { dba: 'b', name: 'a', unknown: 1 } });
      expect(again.text).to.equal(first.text);
    });

    it('sees the same request behind another spelling of its path', async () => {
      const id = idOf(await call('POST', '/business', { body: { name: 'a', owners: [] } }));
      await call('POST', `/business/${id}/owner`, { body: { user: 'o\u2019d|b@c (d)' } });
      const owner = `/business/${id}/owner/${encodeURIComponent('o\u2019d|b@c (d)')}`;
      const hex = (text: string): string => `%${text.charCodeAt(0).toString(16)}`;
      const spellings = [
        [`/business/${id}`, `/business/${id.replaceAll('-', '%2d')}`, `/business/${id.replaceAll(/\w/g, hex)}/`],
        [owner, owner.replaceAll(/%../g, (code) => code.toLowerCase()), owner.replace('%40', '@').replace('(', '%28')],
      ];
      for (const paths of spellings) {
        const headers = key();
        const put = (path: string) => call('PUT', path, { headers, body: { name: 'b', equity: 5 } });
        const first = await put(paths[0]!);
        // so that the request would append an event again
        await call('PUT', paths[0]!, { body: { name: 'c', equity: 6 } });
        for (const path of paths) {
          const again = await put(path);
          expect([path, again.status, again.text]).to.deep.equal([path, 200, first.text]);
          expect(again.headers.get('idempotent-replayed')).to.equal('true');
        }
      }
      expect(await revisionOf(id)).to.equal('"5"');
    });

    it('refuses the same key with another request', async () => {
      const headers = key();
      await call('POST', '/business', { headers, body: { name: 'a' } });
      const { status, json } = await call('POST', '/business', { headers, body: { name: 'b' } });
      expect([status, errorIn(json)]).to.deep.equal([
        422,
        {
          name: 'Idempotency Key Reused',
          message: 'The Idempotency-Key came with another body or Change-Reason before',
          status: 422,
          code: 'idempotency_key_reused',
        },
      ]);
    });

    it('keeps the keys of two callers and of two paths apart', async () => {
      const headers = key();
      const one = await call('POST', '/business', { headers, body: { name: 'a' } });
      const other = await call('POST', '/business', {
        as: stack().tokenFor('admin', 'bob'),
        headers,
        body: { name: 'b' },
      });
      expect(idOf(other)).to.not.equal(idOf(one));
      const put = await call('PUT', `/business/${idOf(one)}`, { headers, body: { name: 'c' } });
      expect([put.status, put.headers.get('etag')]).to.deep.equal([200, '"1"']);
    });

    it('keeps the keys of two methods of one path apart', async () => {
      const headers = key();
      const path = `/business/${idOf(await call('POST', '/business', { body: { name: 'a' } }))}`;
      expect((await call('PUT', path, { headers, body: { name: 'b' } })).status).to.equal(200);
      const deleted = await call('DELETE', path, { headers });
      expect([deleted.status, deleted.headers.get('idempotent-replayed')]).to.deep.equal([200, null]);
      expect((await call('GET', path)).status).to.equal(404);
    });

    it('answers updates, owners and deletes again as they were, also against a condition that held then', async () => {
      const id = idOf(await call('POST', '/business', { body: { name: 'a' } }));
      const calls = [
        ['PUT', `/business/${id}`, '"0"', { name: 'b' }],
        ['POST', `/business/${id}/owner`, '"1"', { user: 'bob' }],
        ['PUT', `/business/${id}/owner?ownerId=bob`, '"2"', { equity: 1 }],
        ['DELETE', `/business/${id}/owner?ownerId=bob`, '"3"', undefined],
        ['DELETE', `/business/${id}`, '"4"', undefined],
      ] as const;
      const headers = calls.map(([, , match]) => ({ ...key(), 'if-match': match }));
      const run = async (): Promise<ReadonlyArray<string>> => {
        const texts: Array<string> = [];
        for (const [index, [method, path, , body]] of calls.entries()) {
          const reply = await call(method, path, { headers: headers[index]!, ...(body && { body }) });
          texts.push(`${reply.status} ${String(reply.headers.get('etag'))} ${reply.text}`);
        }
        return texts;
      };
      const first = await run();
      expect(first.map((text) => text.slice(0, 3))).to.deep.equal(['200', '200', '200', '200', '200']);
      expect(await run()).to.deep.equal(first);
      const events = (await call('GET', `/business/${id}/events`)).json as ReadonlyArray<unknown>;
      expect(events).to.have.length(6);
    });

    it('does not remember a refusal', async () => {
      const headers = key();
      const id = idOf(await call('POST', '/business', { body: { name: 'a' } }));
      const update = () => call('PUT', `/business/${id}/owner/bob`, { headers, body: { equity: 1 } });
      expect((await update()).status).to.equal(404);
      await call('POST', `/business/${id}/owner`, { body: { user: 'bob' } });
      expect((await update()).status).to.equal(200);
    });

    for (const malformed of ['', 'a b', 'ü', 'x'.repeat(256), 'tab\there'])
      it(`refuses the key ${JSON.stringify(malformed.slice(0, 12))} of ${malformed.length} characters`, async () => {
        const { status, json } = await call('POST', '/business', { headers: key(malformed), body: { name: 'a' } });
        expect([status, (json as { errors: unknown }).errors]).to.deep.equal([
          400,
          [{ path: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }],
        ]);
      });

    it('takes any 255 visible characters', async () => {
      const headers = key('!~"\\,{}'.repeat(40).slice(0, 255));
      expect((await call('POST', '/business', { headers, body: { name: 'a' } })).status).to.equal(200);
    });
  });
