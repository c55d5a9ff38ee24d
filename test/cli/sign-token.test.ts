import { expect } from 'chai';
import { either as E } from 'fp-ts';
import jwt from 'jsonwebtoken';
import { signToken } from '../../src/cli/sign-token.js';
import { makeManualClock } from '../support/manual-clock.js';

const clock = makeManualClock(new Date('2030-04-05T06:07:08.999Z'));
const at = Date.parse('2030-04-05T06:07:08Z') / 1_000;
const secret = 'a secret of at least thirty-two bytes';
const request = { user: 'alice', roles: ['admin'], lifetime: 60 };
const noSecret = () => Promise.reject(new Error('the development secret must not be asked for'));

describe('signing a token', () => {
  it('names user, role, issuer and audience, and expires by the clock that is given', async () => {
    const key = { _tag: 'Secret', secret } as const;
    const token = await signToken(clock, { key, issuer: 'us', audience: 'them' }, request, noSecret);
    const wanted = { issuer: 'us', audience: 'them', clockTimestamp: at };
    const payload = E.isRight(token) && jwt.verify(token.right, secret, wanted);
    expect(payload).to.deep.equal({
      sub: 'alice',
      roles: ['admin'],
      iss: 'us',
      aud: 'them',
      iat: at,
      exp: at + 60,
    });
  });

  it('uses the development secret where no key is configured', async () => {
    const config = { key: { _tag: 'Development' }, issuer: undefined, audience: undefined } as const;
    const token = await signToken(clock, config, request, () => Promise.resolve(secret));
    expect(E.isRight(token) && jwt.verify(token.right, secret, { clockTimestamp: at })).to.include({ sub: 'alice' });
  });

  for (const user of ['', ' ', 'a\nb', 'x'.repeat(256)])
    it(`signs none for the user ${JSON.stringify(user.slice(0, 9))}, which the service would refuse`, async () => {
      const config = { key: { _tag: 'Secret', secret }, issuer: undefined, audience: undefined } as const;
      expect(await signToken(clock, config, { ...request, user }, noSecret)).to.deep.equal(
        E.left('the user must be a text of at most 255 characters that is not blank'),
      );
    });

  it('says why it cannot where only a public key is known', async () => {
    const config = {
      key: { _tag: 'Jwks', uri: 'https://issuer.example' },
      issuer: undefined,
      audience: undefined,
    } as const;
    expect(await signToken(clock, config, request, noSecret)).to.deep.equal(
      E.left('tokens are signed elsewhere: this service is configured with a public key and can only verify them'),
    );
  });
});
