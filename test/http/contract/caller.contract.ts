import { expect } from 'chai';
import { errorIn } from '../../support/error-in.js';
import type { StackOfSuite } from '../../support/stack-of-suite.js';

/** What a caller is told of itself. */
export const callerContract = ({ stack, call }: StackOfSuite): Mocha.Suite =>
  describe('who asks, over HTTP', () => {
    it('is told by its token: its subject, its roles, and when it expires', async () => {
      const begun = Date.now();
      const as = stack().tokenFor(['viewer', 'editor', 'viewer', 'unknown'], 'Zoë Ångström');
      const { status, json } = await call('GET', '/me', { as });
      const { expiresAt, ...caller } = json as { readonly expiresAt: string };
      expect(status).to.equal(200);
      expect(caller).to.deep.include({ subject: 'Zoë Ångström', roles: ['viewer', 'editor'] });
      expect(Date.parse(expiresAt)).to.be.greaterThan(begun);
    });

    it('may have any roles, and none', async () => {
      for (const roles of [[], ['owner'], 'superadmin', 'auditor'])
        expect((await call('GET', '/me', { as: stack().tokenFor(roles) })).status, String(roles)).to.equal(200);
    });

    it('is asked for a token', async () => {
      const { status, json, headers } = await call('GET', '/me', { as: undefined });
      expect([status, errorIn(json), headers.get('www-authenticate')]).to.deep.equal([
        401,
        { name: 'Unauthorized', message: 'A bearer token is required', status: 401, code: 'token_missing' },
        'Bearer',
      ]);
    });
  });
