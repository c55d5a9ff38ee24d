import { expect } from 'chai';
import { idOf } from '../../support/client.js';
import { errorIn } from '../../support/error-in.js';
import type { StackOfSuite } from '../../support/stack-of-suite.js';

const nobody = '00000000-0000-7000-8000-000000000000';

// Each addressed record does not exist: where the role is enough, the answer is what comes after the role.
const operations = [
  ['GET', '/business', 'viewer'],
  ['GET', `/business/${nobody}`, 'viewer'],
  ['GET', `/business/${nobody}?revision=0`, 'auditor'],
  ['GET', `/business/${nobody}?at=2026-01-01T00:00:00Z`, 'auditor'],
  ['GET', `/business/${nobody}/events`, 'auditor'],
  ['POST', '/business', 'editor'],
  ['PUT', `/business/${nobody}`, 'editor'],
  ['DELETE', `/business/${nobody}`, 'admin'],
  ['POST', `/business/${nobody}/restore`, 'admin'],
  ['POST', `/business/${nobody}/restore?preview=true`, 'admin'],
  ['POST', `/business/${nobody}/revert`, 'editor'],
  ['POST', `/business/${nobody}/revert?preview=true`, 'editor'],
  ['POST', `/business/${nobody}/owner`, 'editor'],
  ['PUT', `/business/${nobody}/owner`, 'editor'],
  ['PUT', `/business/${nobody}/owner/bob`, 'editor'],
  ['DELETE', `/business/${nobody}/owner`, 'admin'],
  ['DELETE', `/business/${nobody}/owner/bob`, 'admin'],
  ['GET', '/document', 'viewer'],
  ['GET', `/document/${nobody}`, 'viewer'],
  ['GET', `/document/${nobody}?revision=0`, 'auditor'],
  ['GET', `/document/${nobody}/events`, 'auditor'],
  ['GET', `/document/${nobody}/file`, 'viewer'],
  ['GET', `/document/${nobody}/file?revision=0`, 'auditor'],
  ['POST', '/document', 'editor'],
  ['PUT', `/document/${nobody}`, 'editor'],
  ['PUT', `/document/${nobody}/file?originalName=a`, 'editor'],
  ['DELETE', `/document/${nobody}`, 'admin'],
  ['POST', `/document/${nobody}/restore`, 'admin'],
  ['POST', `/document/${nobody}/restore?preview=true`, 'admin'],
  ['POST', `/document/${nobody}/revert`, 'editor'],
  ['POST', `/document/${nobody}/revert?preview=true`, 'editor'],
] as const;

const ladder = ['viewer', 'auditor', 'editor', 'admin'] as const;

const invalidRole = (least: (typeof ladder)[number]) => ({
  name: 'Invalid Role',
  message: 'You do not have the required role to access this resource',
  status: 401,
  code: 'role_missing',
  roles: ladder.slice(ladder.indexOf(least)),
});

/** What is promised of tokens and their roles. */
export const rolesContract = ({ stack, call }: StackOfSuite): Mocha.Suite =>
  describe('roles over HTTP', () => {
    for (const [method, path, least] of operations) {
      it(`lets ${least} and above ${method} ${path}, and nobody else`, async () => {
        for (const role of ladder) {
          const reply = await call(method, path, { as: stack().tokenFor(role) });
          const isAllowed = ladder.indexOf(role) >= ladder.indexOf(least);
          if (isAllowed) expect(reply.status, role).to.be.oneOf([200, 400, 404]);
          else {
            expect([reply.status, errorIn(reply.json)], role).to.deep.equal([401, invalidRole(least)]);
            expect(reply.headers.get('www-authenticate')).to.equal('Bearer error="insufficient_scope"');
          }
        }
        for (const none of [[], ['owner', 'Admin', ''], 'superadmin'])
          expect(errorIn((await call(method, path, { as: stack().tokenFor(none) })).json)).to.deep.equal(
            invalidRole(least),
          );
      });

      it(`asks for a token on ${method} ${path}`, async () => {
        const { status, json, headers } = await call(method, path, { as: undefined });
        expect([status, errorIn(json)]).to.deep.equal([
          401,
          { name: 'Unauthorized', message: 'A bearer token is required', status: 401, code: 'token_missing' },
        ]);
        expect(headers.get('www-authenticate')).to.equal('Bearer');
      });
    }

    it('takes roles as a list, as text with spaces, and the strongest of several', async () => {
      for (const roles of [['viewer', 'editor'], 'viewer editor', ['unknown', 'admin']]) {
        const reply = await call('POST', '/business', { as: stack().tokenFor(roles), body: { name: 'a' } });
        expect(reply.status).to.equal(200);
      }
    });

    it('names the subject of the token as the one who acted', async () => {
      const as = stack().tokenFor('editor', 'Zoë Ångström');
      const id = idOf(await call('POST', '/business', { as, body: { name: 'a' } }));
      const events = (await call('GET', `/business/${id}/events`)).json as ReadonlyArray<{ user: string }>;
      expect(events.map(({ user }) => user)).to.deep.equal(['Zoë Ångström']);
    });
  });
