import { expect } from 'chai';
import { either as E } from 'fp-ts';
import * as t from 'io-ts';
import { makeRateLimit } from '../../src/http/routing/rate-limit.js';
import { callerOf } from '../support/client.js';
import { heapTakenBy } from '../support/heap-taken-by.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { makeManualClock } from '../support/manual-clock.js';

const caller = (subject: string) => ({ subject, roles: [] });
const from = (ip: string) => ({ ip, set: () => undefined });

describe('a share of requests', () => {
  it('is full until a minute after its first request', async () => {
    const clock = makeManualClock();
    const limit = makeRateLimit(clock, 2);
    const ask = () => limit(undefined, from('192.0.2.1'))?.retryAfter;
    expect([ask(), ask(), ask()]).to.deep.equal([undefined, undefined, 60]);
    await clock.advance(59_001);
    expect(ask()).to.equal(1);
    await clock.advance(999);
    expect([ask(), ask(), ask()]).to.deep.equal([undefined, undefined, 60]);
  });

  it('is a caller’s own, and an address’s own', () => {
    const limit = makeRateLimit(makeManualClock(), 1);
    const refused = () => [limit(caller('192.0.2.1'), from('192.0.2.1')), limit(undefined, from('192.0.2.1'))];
    expect(refused()).to.deep.equal([undefined, undefined]);
    expect(refused().map((refusal) => refusal?._tag)).to.deep.equal(['TooManyRequests', 'TooManyRequests']);
  });

  it('is that of a whole /64 of IPv6, and of an IPv4 address in either form', () => {
    const limit = makeRateLimit(makeManualClock(), 1);
    const isRefused = (ip: string) => limit(undefined, from(ip)) !== undefined;
    const asked = ['2001:db8:0:1::1', '2001:db8:0:1:ffff::2', '2001:db8:0:2::1', '192.0.2.1', '::ffff:192.0.2.1'];
    expect(asked.map(isRefused)).to.deep.equal([false, true, false, false, true]);
  });
});

describe('what a limit of requests remembers', () => {
  const MILLION = 1_000_000;
  const MOST = 30 * 1024 * 1024; // bytes; a Map of all of them takes four times as much

  for (const [what, ask] of [
    [
      'addresses',
      (limit: ReturnType<typeof makeRateLimit>, n: number) =>
        limit(undefined, from(`2001:db8:${(n >>> 16).toString(16)}:${(n & 0xffff).toString(16)}::1`)),
    ],
    ['callers', (limit: ReturnType<typeof makeRateLimit>, n: number) => limit(caller(`caller ${n}`), from('::1'))],
  ] as const)
    it(`is bounded when a million ${what} come, and one that goes on sending stays refused`, async () => {
      const limit = makeRateLimit(makeManualClock(), 3);
      const hasty = MILLION;
      const refusals = new Set<string | undefined>();
      for (let asked = 0; asked < 3; asked += 1) ask(limit, hasty);
      const taken = await heapTakenBy(() => {
        for (let n = 0; n < MILLION; n += 1) {
          ask(limit, n);
          if (n % 5_000 === 0) refusals.add(ask(limit, hasty)?._tag);
        }
      });
      expect([...refusals]).to.deep.equal(['TooManyRequests']);
      expect(taken).to.be.lessThan(MOST);
      expect(ask(limit, MILLION - 1), 'the limit is still in use').to.equal(undefined);
    });

  it('keeps callers while addresses come and go', () => {
    const limit = makeRateLimit(makeManualClock(), 1);
    limit(caller('alice'), from('::1'));
    for (let n = 0; n < 50_000; n += 1)
      limit(undefined, from(`2001:db8:${(n >>> 16).toString(16)}:${(n & 0xffff).toString(16)}::1`));
    expect(limit(caller('alice'), from('::1'))?._tag).to.equal('TooManyRequests');
  });
});

describe('a limit of requests over HTTP', () => {
  let stack: MemoryStack;
  afterEach(() => stack.stop());

  it('holds each caller, and each address without one, to its share', async () => {
    stack = await startMemoryStack({ rateLimit: 3 });
    const get = callerOf(() => stack);
    const statuses = async (given: { as?: string }): Promise<ReadonlyArray<number>> => {
      const replies = [await get('GET', '/business', given), await get('GET', '/business', given)];
      const third = await get('GET', '/business', given);
      const refused = await get('GET', '/business', given);
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
      return [...replies, third, refused].map(({ status }) => status);
    };
    expect(await statuses({ as: stack.tokenFor('viewer', 'alice') })).to.deep.equal([200, 200, 200, 429]);
    expect(await statuses({ as: stack.tokenFor('viewer', 'bob') })).to.deep.equal([200, 200, 200, 429]);
    // the description that the replies are held to was read from this address without a token
    expect(await statuses({})).to.deep.equal([401, 401, 429, 429]);
    expect((await get('GET', '/business', { as: 'bad' })).status).to.equal(429);
  });

  it('says what the limit is, and what remains of it, also with the refusal', async () => {
    stack = await startMemoryStack({ rateLimit: 2 });
    const as = stack.tokenFor('viewer', 'alice');
    const limits = async (given: { as?: string }) => {
      const { status, headers } = await callerOf(() => stack)('GET', '/business/x', given);
      const [remains, seconds] = (headers.get('ratelimit') ?? '').split(';t=');
      expect(Number(seconds)).to.be.within(1, 60);
      if (status === 429) expect(headers.get('retry-after')).to.equal(seconds);
      return [status, remains, headers.get('ratelimit-policy')];
    };
    const policy = '"caller";q=2;w=60';
    expect(await limits({ as })).to.deep.equal([404, '"caller";r=1', policy]);
    expect(await limits({ as })).to.deep.equal([404, '"caller";r=0', policy]);
    expect(await limits({ as })).to.deep.equal([429, '"caller";r=0', policy]);
    // the description that the replies are held to was read from this address without a token
    expect(await limits({})).to.deep.equal([401, '"address";r=0', '"address";q=2;w=60']);
    const probe = await fetch(`${stack.baseUrl}/livez`);
    expect(probe.headers.get('ratelimit')).to.equal(null);
  });

  it('says nothing of a limit where none is configured', async () => {
    stack = await startMemoryStack();
    const { headers } = await callerOf(() => stack)('GET', '/business', { as: stack.tokenFor('viewer') });
    expect([headers.get('ratelimit'), headers.get('ratelimit-policy')]).to.deep.equal([null, null]);
  });

  const statusesOf = async (path: string, times: number): Promise<ReadonlyArray<number>> => {
    const statuses: Array<number> = [];
    for (let n = 0; n < times; n += 1) {
      const response = await fetch(stack.baseUrl + path);
      await response.arrayBuffer();
      statuses.push(response.status);
    }
    return statuses;
  };

  const parts = ['/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css', '/docs/init.js'];
  for (const path of ['/docs', ...parts, '/openapi.json', '/openapi.yaml'])
    it(`counts ${path}, by address`, async () => {
      stack = await startMemoryStack({ rateLimit: 2 });
      expect(await statusesOf(path, 3)).to.deep.equal([200, 200, 429]);
    });

  it('counts a public route that says nothing of it', async () => {
    const greet = () => Promise.resolve(E.right({ status: 200, body: '"hello"' }));
    const description = { tag: 'Greeting', summary: 'Greets', success: t.string, failures: [] };
    const row = { operation: 'greet', description, method: 'GET', path: '/greeting' } as const;
    const route = { ...row, access: 'public', handle: greet } as const;
    stack = await startMemoryStack({ rateLimit: 1, routes: [route] });
    expect(await statusesOf('/greeting', 2)).to.deep.equal([200, 429]);
  });

  it('never counts a probe, and answers it when all shares are used up', async () => {
    stack = await startMemoryStack({ rateLimit: 2 });
    for (const path of ['/livez', '/readyz'])
      expect(await statusesOf(path, 5)).to.deep.equal([200, 200, 200, 200, 200]);
    expect(await statusesOf('/docs', 3)).to.deep.equal([200, 200, 429]);
    for (const path of ['/livez', '/readyz']) expect(await statusesOf(path, 2)).to.deep.equal([200, 200]);
  });
});
