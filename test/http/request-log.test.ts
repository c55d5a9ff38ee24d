import { expect } from 'chai';
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
