import { getEventListeners, once } from 'node:events';
import net from 'node:net';
import { expect } from 'chai';
import { withTimeout } from '../../src/event-sourcing/with-timeout.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { makeManualClock } from '../support/manual-clock.js';

/** Does nothing else for so long, ms. */
const standStill = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

describe('a wait with a limit', () => {
  it('gives what comes before it, and nothing behind it', async () => {
    expect(await withTimeout(makeManualClock(), 60_000, Promise.resolve('an answer'))).to.equal('an answer');
    const clock = makeManualClock();
    const waiting = withTimeout(clock, 60_000, new Promise(() => undefined));
    await clock.advance(60_000);
    expect(await waiting).to.equal(undefined);
  });

  it('gives what lay in a socket while this process itself stood still', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    // reason: a TCP server that listens has such an address
    const client = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1');
    const [[peer]] = (await Promise.all([once(server, 'connection'), once(client, 'connect')])) as [[net.Socket], []];
    try {
      const answer = once(client, 'data').then(([bytes]) => String(bytes));
      const waiting = withTimeout(systemRuntime.clock, 20, answer);
      peer.write('an answer');
      standStill(100);
      expect(await waiting).to.equal('an answer');
    } finally {
      client.destroy();
      server.close();
    }
  });

  it('ends when it is told to', async () => {
    const clock = makeManualClock();
    const ending = new AbortController();
    const waiting = withTimeout(clock, 60_000, new Promise(() => undefined), ending.signal);
    ending.abort();
    expect(await waiting).to.equal(undefined);
    expect(clock.waiting()).to.equal(0);
  });

  it('leaves nothing on a signal that goes on, however it ends', async () => {
    const clock = makeManualClock();
    const { signal } = new AbortController();
    await withTimeout(clock, 60_000, Promise.resolve('an answer'), signal);
    await withTimeout(clock, 60_000, Promise.reject(new Error('no answer')), signal).catch(() => undefined);
    const waiting = withTimeout(clock, 60_000, new Promise(() => undefined), signal);
    expect(getEventListeners(signal, 'abort')).to.have.length(1);
    await clock.advance(60_000);
    await waiting;
    expect([getEventListeners(signal, 'abort'), clock.waiting()]).to.deep.equal([[], 0]);
  });
});
