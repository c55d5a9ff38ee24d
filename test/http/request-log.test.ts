import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { forgeToken } from '../support/forge-token.js';
import { SECRET } from '../support/tokens.js';
import { callerOf, idOf } from '../support/client.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { rawExchange } from '../support/raw-exchange.js';

const all = '/api/v1/business';

type Line = Readonly<Record<string, unknown>>;

describe('the log of requests', () => {
  let stack: MemoryStack;
  const call = callerOf(() => stack);
  before(async () => (stack = await startMemoryStack()));
  after(() => stack.stop());

  /** The level and the fields of the line that the last request has, once it is there. */
  const logged = async (requestId: string): Promise<readonly [string, Line]> => {
    for (;;) {
      const found = stack.log.find(({ fields }) => (fields as Line)['requestId'] === requestId);
      if (found !== undefined) return [found.level, found.fields as Line];
      await new Promise(setImmediate);
    }
  };

  let requests = 0;
  const send = async (method: string, path: string, as?: string, body?: unknown) => {
    const requestId = `r-${(requests += 1)}`;
    const { status } = await call(method, path, { as, body, headers: { 'x-request-id': requestId } });
    const [level, line] = await logged(requestId);
    return { status, level, line };
  };

  const editor = () => stack.tokenFor('admin', 'eve');

  it('has the route, the id of the record, the address of the client and the actor of a request', async () => {
    const id = idOf(await call('POST', '/business', { as: editor(), body: { name: 'Bakery' } }));
    const { status, level, line } = await send('GET', `/business/${id}?revision=0`, editor());
    expect([status, level]).to.deep.equal([200, 'info']);
    expect(line).to.include({ route: `${all}/:id`, record: id, client: '127.0.0.1', actor: 'eve' });
    expect((await send('GET', `/business/${id}`, editor())).line).to.include({ record: id, status: 200 });
    expect((await send('GET', '/business', editor())).line)
      .to.include({ route: all })
      .and.not.to.have.any.keys('record');
  });

  it('never has the identifier of an owner, wherever a request names it', async () => {
    const id = idOf(await call('POST', '/business', { as: editor(), body: { name: 'Bakery' } }));
    const owner = `/business/${id}/owner`;
    const tried = [
      ['POST', owner, { user: 'Zoe.Private' }],
      ['PUT', `${owner}/Zoe.Private`, { shares: 2 }],
      ['PUT', `${owner}?ownerId=Zoe.Private`, { shares: 3 }],
      ['DELETE', `${owner}/Zoe.Private/`, undefined],
      ['DELETE', `${owner}?ownerId=Zoe.Private`, undefined],
      ['DELETE', owner, { ownerId: 'Zoe.Private' }],
      // what no row takes
      ['POST', `${owner}/Zoe.Private`, undefined],
      ['PUT', `/business/${id}/owners/Zoe.Private`, undefined],
      ['GET', `/business/Zoe.Private`, undefined],
    ] as const;
    for (const [method, path, body] of tried) await send(method, path, editor(), body);
    await send('DELETE', `${owner}/Zoe.Private`);
    expect(JSON.stringify(stack.log)).to.include(`${all}/:id/owner/:ownerId`).and.not.to.include('Private');
  });

  it('has the route of a path that is known when its method is not, and none of an unknown path', async () => {
    expect((await send('POST', '/business/x/owner/bob', editor())).line).to.include({
      route: `${all}/:id/owner/:ownerId`,
      status: 405,
    });
    expect((await send('GET', '/elsewhere', editor())).line).to.include({ route: undefined, status: 404 });
  });

  it('names who was refused for a missing role', async () => {
    const { line, level } = await send('POST', '/business', stack.tokenFor('viewer', 'victor'), { name: 'X' });
    expect(line).to.deep.include({ actor: 'victor', failure: { tag: 'RoleMissing' } });
    expect(level).to.equal('info');
  });

  const tokenWith = (claims: object): string => {
    const times = { sub: 'eve', exp: Math.floor(Date.now() / 1000) + 600, roles: ['admin'] };
    return forgeToken({ alg: 'HS256', typ: 'JWT' }, { ...times, ...claims }, 'HS256', SECRET);
  };

  it('has the issuer and the id of the token, also where the token is remembered', async () => {
    const as = tokenWith({ iss: 'https://issuer.example', jti: 'token-7' });
    for (const name of ['Bakery', 'Brewery'])
      expect((await send('POST', '/business', as, { name })).line).to.include({
        ...{ actor: 'eve', client: '127.0.0.1', iss: 'https://issuer.example', jti: 'token-7' },
      });
    expect((await send('POST', '/business', editor(), { name: 'X' })).line).not.to.have.any.keys('iss', 'jti');
  });

  it('has bounded claims without characters that nobody sees, and none that is no text', async () => {
    const lineOf = async (claims: object) => (await send('POST', '/business', tokenWith(claims), { name: 'X' })).line;
    expect(await lineOf({ iss: 'a\u202eb\u001b[2J\nc\ud800\u2028', jti: '\u200b' })).to.include({
      ...{ iss: 'a�b�[2J�c��', jti: '�' },
    });
    expect(await lineOf({ iss: '😀'.repeat(255), jti: '😀'.repeat(256) })).to.include({
      ...{ iss: '😀'.repeat(255), jti: `${'😀'.repeat(255)}…` },
    });
    expect(await lineOf({ iss: { a: 1 }, jti: 7 })).not.to.have.any.keys('iss', 'jti');
    expect(await lineOf({ iss: ['a'], jti: '' })).not.to.have.any.keys('iss', 'jti');
  });

  describe('and the events that a request appended', () => {
    type Event = { readonly metadata: Readonly<Record<string, string>> };
    const requestIdOf = ({ headers }: { readonly headers: Headers }): string => headers.get('x-request-id') ?? '';
    const eventsOf = async (id: string): Promise<ReadonlyArray<Event>> =>
      (await call('GET', `/business/${id}/events?proof=true`, { as: editor() })).json as ReadonlyArray<Event>;

    it('have one id, which the client may choose, and the event nothing of the address and the token', async () => {
      const as = tokenWith({ iss: 'https://issuer.example', jti: 'token-7' });
      const trace = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
      const own = { 'x-request-id': `own/${randomUUID()}`, traceparent: trace };
      const created = await call('POST', '/business', { as, body: { name: 'Bakery' }, headers: own });
      const id = idOf(created);
      const refused = { 'x-request-id': 'x'.repeat(129), traceparent: 'mine' };
      const changed = await call('PUT', `/business/${id}`, { as, body: { name: 'Brewery' }, headers: refused });
      const owned = await call('POST', `/business/${id}/owner`, { as, body: { user: 'u-1' } });
      const ids = [created, changed, owned].map(requestIdOf);
      expect(ids[0]).to.equal(own['x-request-id']);
      expect(ids[1]).to.match(/^[0-9a-f-]{36}$/);
      const events = await eventsOf(id);
      expect(events.map(({ metadata }) => metadata['$correlationId'])).to.deep.equal(ids);
      expect(events.map(({ metadata }) => metadata['traceparent'])).to.deep.equal([trace, undefined, undefined]);
      for (const requestId of ids)
        expect((await logged(requestId))[1]).to.include({ jti: 'token-7', client: '127.0.0.1' });
      expect(JSON.stringify(events)).not.to.match(/token-7|issuer\.example|127\.0\.0\.1/);
      expect(Object.keys(events[1]!.metadata)).to.deep.equal([
        ...['$causationId', '$correlationId', 'actor', 'at', 'dataHash', 'fingerprint', 'hash', 'previousHash'],
        ...['salt', 'schemaVersion'],
      ]);
    });

    it('have the id of the first request, not of one that was answered by its Idempotency-Key', async () => {
      const headers = { 'idempotency-key': randomUUID() };
      const create = () => call('POST', '/business', { as: editor(), body: { name: 'Bakery' }, headers });
      const [first, second] = [await create(), await create()];
      expect(requestIdOf(second)).not.to.equal(requestIdOf(first));
      const events = await eventsOf(idOf(second));
      expect(events.map(({ metadata }) => metadata['$correlationId'])).to.deep.equal([requestIdOf(first)]);
      expect((await logged(requestIdOf(first)))[1]).to.include({ operation: 'createBusiness', actor: 'eve' });
    });
  });

  it('has what is refused as no valid HTTP, under the id of the answer', async () => {
    const tried = [
      ['GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'host_invalid'],
      ['GET /livez HTTP/1.1\r\nHost: x\r\nContent-Type: a/b\r\nContent-Type: c/d\r\n\r\n', 400, 'request_malformed'],
      ['GET /secret HTTP/3.0\r\nHost: x\r\n\r\n', 505, 'http_version_not_supported'],
      ['FOO /secret HTTP/1.1\r\nHost: x\r\n\r\n', 501, 'method_not_known'],
      ['CONNECT secret:443 HTTP/1.1\r\nHost: secret\r\n\r\n', 405, 'method_not_allowed'],
      ['secret', 400, 'request_malformed'],
    ] as const;
    for (const [bytes, status, code] of tried) {
      const answer = await rawExchange(stack.baseUrl, bytes);
      const [, requestId = ''] = /\r\nX-Request-Id: (.*)\r\n/.exec(answer) ?? [];
      expect(await logged(requestId)).to.deep.equal(['info', { requestId, status, code, client: '127.0.0.1' }]);
    }
    expect(JSON.stringify(stack.log)).not.to.include('secret');
  });

  it('warns of a request that fails to authenticate, and says why', async () => {
    const forged = await send('GET', '/business', `${editor()}x`);
    expect(forged.level).to.equal('warn');
    expect(forged.line).to.deep.include({
      client: '127.0.0.1',
      status: 401,
      failure: { tag: 'Unauthenticated', reason: 'The token is not valid' },
    });
    expect(JSON.stringify(forged.line)).not.to.include('eyJ');
    expect((await send('GET', '/business')).level).to.equal('warn');
  });
});
