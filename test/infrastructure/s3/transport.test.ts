import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { transportWithTimeouts } from '../../../src/infrastructure/s3/transport.js';
import { type ManualClock, makeManualClock } from '../../support/manual-clock.js';

describe('a transport with timeouts', () => {
  let server: http.Server;
  let agent: http.Agent;
  let clock: ManualClock;
  beforeEach(async () => {
    clock = makeManualClock();
    agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    server = http.createServer(({ url }, response) => {
      if (url !== '/silent') response.writeHead(Number(url?.slice(1))).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    agent.destroy();
    server.closeAllConnections();
    await once(server.close(), 'close');
  });

  const send = (path: string, timeouts: { connectMs: number; idleMs: number }): Promise<string> =>
    new Promise((resolve) => {
      // reason: a server that listens on TCP has an address of this form
      const { port } = server.address() as AddressInfo;
      const { request } = transportWithTimeouts(clock, http.request, timeouts);
      request({ agent, host: '127.0.0.1', port, path }, (response) => {
        response.resume().once('end', () => resolve(`answered ${response.statusCode ?? 0}`));
      })
        .once('error', ({ message }) => resolve(message))
        .end();
    });

  it('lets no request wait for ever for a free connection', async () => {
    const first = send('/silent', { connectMs: 5000, idleMs: 400 });
    const second = send('/200', { connectMs: 50, idleMs: 5000 });
    await clock.advance(49);
    expect(clock.waiting()).to.equal(1);
    await clock.advance(1);
    expect([await second, clock.waiting()]).to.deep.equal(['no connection within 50 ms', 0]);
    expect(await first).to.equal('no byte within 400 ms');
  });

  it('ends the wait for the first byte of a response', async () => {
    expect(await send('/silent', { connectMs: 5000, idleMs: 50 })).to.equal('no byte within 50 ms');
  });

  it('fails on the response of a busy server, and passes on any other', async () => {
    const answers: Array<string> = [];
    for (const status of [200, 206, 403, 404, 408, 429, 500, 503])
      answers.push(await send(`/${status}`, { connectMs: 5000, idleMs: 5000 }));
    expect(answers).to.deep.equal([
      ...[200, 206, 403, 404].map((status) => `answered ${status}`),
      ...[408, 429, 500, 503].map((status) => `the server answered ${status}`),
    ]);
  });
});
