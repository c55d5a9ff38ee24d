import { once } from 'node:events';
import { request, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { type Listener, serve } from '../../src/http/serve.js';
import { makeManualClock } from '../support/manual-clock.js';
import { makeHeard } from '../support/news.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const local = { runtime: systemRuntime, host: '127.0.0.1', port: 0 };

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('serving', () => {
  it('names the address it really has', async () => {
    const served = await serve((_, response) => response.end('here'), local);
    expect(served.address).to.match(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await (await fetch(served.address)).text()).to.equal('here');
    await served.stop(1000);
  });

  it('says that an address is taken', async () => {
    const served = await serve((_, response) => response.end(), local);
    const port = Number(new URL(served.address).port);
    expect(await failure(serve(() => undefined, { ...local, port }))).to.include({ code: 'EADDRINUSE' });
    await served.stop(1000);
  });

  it('lets a running request finish when it stops, and takes no other', async () => {
    let pending: ServerResponse | undefined;
    const served = await serve((_, response) => (pending = response), local);
    const answer = fetch(served.address).then((response) => response.text());
    while (pending === undefined) await new Promise(setImmediate);
    const stopped = served.stop(10_000);
    expect(await failure(fetch(served.address))).to.be.instanceOf(TypeError);
    pending.end('finished');
    expect(await answer).to.equal('finished');
    await stopped;
  });

  const REFUSED = `GET / HTTP/1.1\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`;

  /** A client that goes on sending when it has been answered. */
  const sender = async (address: string): Promise<Socket> => {
    const socket = connect({ port: Number(new URL(address).port), host: '127.0.0.1', allowHalfOpen: true });
    await once(socket, 'connect');
    socket.write(REFUSED);
    await once(socket.resume(), 'end');
    return socket;
  };

  /** A mebibyte; rejects once the other end is gone. */
  const sendMore = async (socket: Socket): Promise<void> => {
    for (let sent = 0; sent < 16; sent += 1)
      await new Promise<void>((resolve, reject) => {
        socket.write(Buffer.alloc(65_536), (error) => {
          if (error) reject(error);
          else resolve();
        });
      });
  };

  it('discards what a client goes on sending behind what was refused, so that no reset overtakes the answer', async () => {
    const clock = makeManualClock();
    const served = await serve(() => undefined, { ...local, runtime: { ...systemRuntime, clock } });
    const socket = await sender(served.address);
    await sendMore(socket);
    socket.end();
    await once(socket, 'close');
    await served.stop(1000);
    expect(clock.waiting()).to.equal(0);
  });

  it('does so for a second, and no longer', async () => {
    const clock = makeManualClock();
    const served = await serve(() => undefined, { ...local, runtime: { ...systemRuntime, clock } });
    const socket = await sender(served.address);
    await clock.advance(999);
    await sendMore(socket);
    await clock.advance(1);
    socket.on('error', () => undefined);
    const sendsForEver = async (): Promise<void> => {
      for (;;) await sendMore(socket);
    };
    expect(await failure(sendsForEver()))
      .to.have.property('code')
      .that.is.oneOf(['EPIPE', 'ECONNRESET']);
    await served.stop(1000);
  });

  it('closes idle connections at once', async () => {
    const served = await serve((_, response) => response.end(), local);
    const socket = connect(Number(new URL(served.address).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    await Promise.all([once(socket, 'close'), served.stop(10_000)]);
  });

  it('cuts what has not finished by the deadline', async () => {
    const served = await serve(() => undefined, local);
    const unanswered = request(served.address).end();
    const cut = once(unanswered, 'error');
    await once(unanswered, 'socket');
    await new Promise(setImmediate);
    await served.stop(10);
    expect((await cut)[0]).to.include({ code: 'ECONNRESET' });
  });

  it('tells of a connection that is lost within a request, and of no idle one', async () => {
    const lost = makeHeard<unknown>();
    let begun = (): void => undefined;
    const listener: Listener = ({ url }, response) => {
      if (url === '/done') response.end();
      else begun();
    };
    const served = await serve(listener, { ...local, onLost: lost.hear });
    const port = Number(new URL(served.address).port);
    const send = async (path: string): Promise<Socket> => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      return socket;
    };
    const idle = await send('/done');
    await once(idle, 'data');
    idle.resetAndDestroy();
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    const waiting = await send('/waits');
    await hasBegun;
    waiting.resetAndDestroy();
    await lost.until(({ length }) => length > 0);
    await served.stop(1000);
    expect(lost.all).to.have.length(1);
    expect(lost.all[0]).to.include({ code: 'ECONNRESET' });
  });
});
