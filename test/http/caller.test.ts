import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { callerOf } from '../support/client.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';

describe('what a caller is told of itself', () => {
  let stack: MemoryStack | undefined;
  const call = callerOf(() => stack!);
  afterEach(async () => {
    await stack?.stop();
    stack = undefined;
  });

  it('has the limits that are configured', async () => {
    stack = await startMemoryStack({ rateLimit: 7, maxUploadBytes: 5_000 });
    const { json, headers } = await call('GET', '/me', { as: stack.tokenFor('viewer') });
    expect((json as { limits: unknown }).limits).to.deep.equal({
      requestsPerMinute: 7,
      jsonBytes: 262_144,
      uploadBytes: 5_000,
      pageSize: 1_000,
    });
    expect(headers.get('ratelimit')).to.match(/^"caller";r=6;t=\d+$/);
  });

  for (const [expiresAt, shown] of [
    [1_900_000_000.5, '2030-03-17T17:46:40.500Z'],
    [253_402_300_800, '9999-12-31T23:59:59.999Z'],
    [1e300, '9999-12-31T23:59:59.999Z'],
  ] as const)
    it(`says of an exp of ${expiresAt} that it is ${shown}`, async () => {
      const caller = { subject: 'alice', roles: [], expiresAt };
      stack = await startMemoryStack({ authenticate: () => E.right(caller) });
      expect((await call('GET', '/me')).json).to.deep.include({ subject: 'alice', roles: [], expiresAt: shown });
    });
});
