import { expect } from 'chai';
import { idOf } from '../../support/client.js';
import { errorIn } from '../../support/error-in.js';
import type { StackOfSuite } from '../../support/stack-of-suite.js';

const paths = ({ json }: { json: unknown }): ReadonlyArray<string> =>
  (json as { errors: ReadonlyArray<{ path: string }> }).errors.map(({ path }) => path);

/** What is promised of the owners of a business. */
export const ownersContract = ({ call }: StackOfSuite): Mocha.Suite =>
  describe('owners over HTTP', () => {
    let owner: string;
    beforeEach(async () => {
      owner = `/business/${idOf(await call('POST', '/business', { body: { name: 'a' } }))}/owner`;
      await call('POST', owner, { body: { user: 'bob', title: 'CEO', equity: 50 } });
    });

    const owners = async (): Promise<unknown> =>
      ((await call('GET', owner.replace('/owner', ''))).json as { owners: unknown }).owners;

    it('adds owners in order and answers each', async () => {
      const { status, json, headers } = await call('POST', owner, { body: { user: 'carol' } });
      expect([status, json]).to.deep.equal([200, { user: 'carol', title: null, equity: null }]);
      expect(headers.get('etag')).to.equal('"2"');
      expect(await owners()).to.deep.equal([
        { user: 'bob', title: 'CEO', equity: 50 },
        { user: 'carol', title: null, equity: null },
      ]);
    });

    it('refuses the same owner twice, and one without a user', async () => {
      const twice = await call('POST', owner, { body: { user: 'bob' } });
      expect([twice.status, errorIn(twice.json)]).to.deep.equal([
        409,
        {
          name: 'Conflict',
          message: 'The user is an owner of the business already',
          status: 409,
          code: 'owner_exists',
        },
      ]);
      const nobody = await call('POST', owner, { body: { ownerId: 'carol' } });
      expect([nobody.status, paths(nobody)]).to.deep.equal([400, ['user']]);
    });

    for (const [form, path, body] of [
      ['the query', '?ownerId=bob', {}],
      ['the body', '', { ownerId: 'bob' }],
      ['the path', '/bob', {}],
      ['all of them', '/bob?ownerId=bob', { ownerId: 'bob', user: 'bob' }],
    ] as const) {
      it(`updates an owner named by ${form}`, async () => {
        const reply = await call('PUT', `${owner}${path}`, { body: { ...body, equity: 10 } });
        expect([reply.status, reply.json]).to.deep.equal([200, { user: 'bob', title: 'CEO', equity: 10 }]);
        expect(await owners()).to.deep.equal([{ user: 'bob', title: 'CEO', equity: 10 }]);
      });

      it(`removes an owner named by ${form}, and answers it`, async () => {
        const reply = await call('DELETE', `${owner}${path}`, { body });
        expect([reply.status, reply.json]).to.deep.equal([200, { user: 'bob', title: 'CEO', equity: 50 }]);
        expect(await owners()).to.deep.equal([]);
      });
    }

    it('removes an owner whose name holds what paths are made of', async () => {
      const user = 'a/b?c=ü d';
      await call('POST', owner, { body: { user } });
      expect((await call('DELETE', `${owner}?ownerId=${encodeURIComponent(user)}`)).status).to.equal(200);
      await call('POST', owner, { body: { user } });
      expect((await call('DELETE', `${owner}/${encodeURIComponent(user)}/`)).status).to.equal(200);
    });

    it('ignores a foreign body beside the query of a DELETE', async () => {
      const headers = { 'content-type': 'text/plain' };
      expect((await call('DELETE', `${owner}?ownerId=bob`, { body: 'not JSON', headers })).status).to.equal(200);
    });

    it('refuses two different values, none at all, and another user', async () => {
      const refused = [
        await call('PUT', `${owner}?ownerId=bob`, { body: { ownerId: 'carol' } }),
        await call('PUT', `${owner}?ownerId=bob&ownerId=carol`, { body: {} }),
        await call('PUT', `${owner}/bob?ownerId=carol`, { body: {} }),
        await call('DELETE', `${owner}?ownerId=bob`, { body: { ownerId: 'carol' } }),
        await call('DELETE', owner),
        await call('PUT', owner, { body: { title: 'x' } }),
      ];
      for (const reply of refused) expect([reply.status, paths(reply)]).to.deep.equal([400, ['ownerId']]);
      const renamed = await call('PUT', `${owner}?ownerId=bob`, { body: { user: 'carol' } });
      expect([renamed.status, paths(renamed)]).to.deep.equal([400, ['user']]);
      expect(await owners()).to.deep.equal([{ user: 'bob', title: 'CEO', equity: 50 }]);
    });

    it('reads its own part of the path, whatever stands in the place of the business', async () => {
      const at = (id: string, user: string): string => `/business/${id}/owner/${user}`;
      const body = { ownerId: 'bob b' };
      for (const id of ['x', '%ff', '%e0%a4%a', '%zz']) {
        for (const path of [at(id, 'bob%20b'), `${at(id, 'bob%20b')}/`])
          expect((await call('DELETE', path, { body })).status, path).to.equal(404);
        expect((await call('PUT', at(id, 'bob%20b'), { body })).status, id).to.equal(404);
      }
      expect((await call('DELETE', at('x', '%ff'), { body: { ownerId: '%ff' } })).status).to.equal(400);
    });

    it('knows no owner that was not added', async () => {
      expect((await call('PUT', `${owner}?ownerId=carol`, { body: {} })).status).to.equal(404);
      expect((await call('DELETE', `${owner}/carol`)).status).to.equal(404);
    });
  });
