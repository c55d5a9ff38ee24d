import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { connectionOf } from '../../../src/http/budget/connection.js';
import { serve } from '../../../src/http/serve.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { makeManualClock, type ManualClock } from '../../support/manual-clock.js';
import { makeHeard, makeNews } from '../../support/news.js';

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

/** A program: fifty clients of a port, each of which asks and resets its connection at once. */
const ASK_AND_RESET = `
  for (let count = 0; count < 50; count += 1) {
    const socket = require('node:net').connect(process.argv[1], '127.0.0.1', () => {
      socket.write(${JSON.stringify(GET)});
      socket.resetAndDestroy();
    });
  }`;

type ServeLimits = NonNullable<Parameters<typeof serve>[1]['limits']>;

describe('the connections of clients', () => {
  let clock: ManualClock;
  let served: Awaited<ReturnType<typeof serve>>;
  let pending: Array<ServerResponse>;
  const news = makeNews();
  let cuts: Array<string>;
  let sockets: Array<Socket>;

  const start = async (limits: ServeLimits): Promise<void> => {
    [pending, cuts, sockets] = [[], [], []];
    clock = makeManualClock();
    const options = {
      runtime: { ...systemRuntime, clock },
      host: '127.0.0.1',
      port: 0,
      limits,
      onCut: (reason: string) => {
        cuts.push(reason);
        news.tell();
      },
    };
    served = await serve((request, response) => {
      request.resume();
      pending.push(response);
      news.tell();
    }, options);
  };
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    const stopped = served.stop(10);
    await clock.advance(10);
    await stopped;
    expect(clock.waiting()).to.equal(0);
  });

  const open = async (sent = ''): Promise<Socket> => {
    const socket = connect(Number(new URL(served.address).port), '127.0.0.1');
    sockets.push(socket.on('error', () => undefined));
    await once(socket, 'connect');
    socket.write(sent);
    return socket;
  };
  /** Beside the look at all connections there is one at those that wait for a place, every 100 ms from then on. */
  const oneWaits = (): Promise<void> => clock.untilWaiting(2);
  const isClosed = async (socket: Socket): Promise<boolean> => {
    const closed = new Promise((resolve) => socket.resume().once('close', resolve));
    if (!socket.closed) await closed;
    return true;
  };
  const begun = async (count: number): Promise<number> => {
    await news.until(() => pending.length >= count);
    return pending.length;
  };
  /** Resolves when a client that asks now has come to its turn, behind all that came before it. */
  const anotherBegun = async (): Promise<void> => {
    await open('GET /another HTTP/1.1\r\nHost: x\r\n\r\n');
    await news.until(() => pending.some(({ req }) => req.url === '/another'));
  };

  it('are answered one request after the other, in the order in which they came', async () => {
    await start({});
    const socket = await open(GET.repeat(3));
    const received = makeHeard<string>();
    socket.setEncoding('utf8').on('data', received.hear);
    for (const count of [1, 2, 3]) {
      expect(await begun(count)).to.equal(count);
      pending.at(-1)?.end(`answer ${count}`);
    }
    const text = await received.until((parts) => parts.join('').includes('answer 3'));
    expect(text.join('').match(/answer \d/g)).to.deep.equal(['answer 1', 'answer 2', 'answer 3']);
  });

  it('begin nothing that is behind another answer, and forget it when the client goes', async () => {
    await start({});
    const socket = await open(GET.repeat(16));
    await begun(1);
    const closed = once(pending[0]!, 'close');
    socket.destroy();
    await closed;
    await anotherBegun();
    expect([pending.length, cuts]).to.deep.equal([2, []]);
  });

  it('begin nothing that is behind the last answer of a connection', async () => {
    await start({});
    const socket = await open(GET.repeat(2));
    await begun(1);
    pending[0]!.setHeader('Connection', 'close').end('the last');
    expect([await isClosed(socket), pending.length, cuts]).to.deep.equal([true, 1, []]);
  });

  it('are cut where the rest of a request is malformed whose answer has begun', async () => {
    await start({});
    const socket = await open('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n');
    await begun(1);
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => (received += text));
    pending[0]!.write('a part of the answer');
    await once(socket, 'data');
    socket.write('no length\r\n');
    expect([await isClosed(socket), cuts]).to.deep.equal([true, ['the rest of a request is malformed']]);
    expect(received.match(/HTTP\/1.1 \d+/g)).to.deep.equal(['HTTP/1.1 200']);
  });

  it('are cut with the seventeenth request that waits for its answer', async () => {
    await start({});
    const sixteen = await open(GET.repeat(16));
    await begun(1);
    const seventeen = await open(GET.repeat(17));
    expect([await isClosed(seventeen), cuts]).to.deep.equal([true, ['too many unanswered requests']]);
    expect(sixteen.closed).to.equal(false);
  });

  it('are cut when nothing is moved of a body for too long, and not while we are at work', async () => {
    await start({ stallMs: 60 });
    const working = await open(GET);
    await begun(1);
    const waiting = await open('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345');
    await begun(2);
    await clock.advance(119);
    expect(cuts).to.deep.equal([]);
    await clock.advance(1);
    expect([await isClosed(waiting), cuts]).to.deep.equal([true, ['no progress']]);
    await clock.advance(60_000);
    expect([working.closed, cuts.length]).to.deep.equal([false, 1]);
  });

  it('are cut when next to nothing comes of a body for too long', async () => {
    await start({ stallMs: 60 });
    const dripping = await open('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n');
    await begun(1);
    for (let drop = 0; drop < 4; drop += 1) {
      expect(cuts).to.deep.equal([]);
      dripping.write('x'.repeat(1_000));
      await clock.advance(30);
    }
    expect([await isClosed(dripping), cuts]).to.deep.equal([true, ['no progress']]);
  });

  it('are cut when next to nothing is taken of an answer for too long', async () => {
    await start({ stallMs: 60 });
    const socket = await open(GET);
    socket.pause();
    await begun(1);
    pending[0]!.end(Buffer.alloc(64 * 1024 * 1024));
    // the system takes some of it, which is progress
    for (let looks = 0; looks < 100 && cuts.length === 0; looks += 1) await clock.advance(60);
    expect(cuts).to.deep.equal(['no progress']);
  });

  it('give up the place of the one that is idle for longest when all are taken', async () => {
    await start({ connections: 16 });
    const busy = await open(GET);
    await begun(1);
    const idle: Array<Socket> = [];
    for (let count = 0; count < 15; count += 1) idle.push(await open());
    const late = await open(GET);
    await oneWaits();
    await clock.advance(299);
    expect(cuts).to.deep.equal([]);
    await clock.advance(1);
    expect(await begun(2)).to.equal(2);
    expect(await isClosed(idle[0]!)).to.equal(true);
    expect([busy, late, ...idle.slice(1)].filter(({ closed }) => closed)).to.deep.equal([]);
    expect(cuts).to.deep.equal(['too many connections']);
  });

  it('take the place of one that has stalled, and until then wait without being answered', async () => {
    await start({ connections: 2 });
    const working = await open(GET);
    await begun(1);
    const stalled = await open('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345');
    await begun(2);
    await clock.advance(100);
    const late = await open(GET);
    await oneWaits();
    await clock.advance(899);
    expect([pending.length, cuts]).to.deep.equal([2, []]);
    await clock.advance(1);
    expect([await begun(3), await isClosed(stalled), working.closed, late.closed]).to.deep.equal([
      3,
      true,
      false,
      false,
    ]);
    expect(cuts).to.deep.equal(['too many connections']);
  });

  it('leave one alone that has had nothing to do for a moment only', async () => {
    await start({ connections: 2 });
    const busy = await open(GET);
    await begun(1);
    const idle = await open(GET);
    await begun(2);
    const answered = once(idle, 'data');
    pending[1]!.end();
    await answered;
    await clock.advance(50);
    const late = await open(GET);
    await oneWaits();
    await clock.advance(199);
    expect([idle.closed, pending.length, cuts]).to.deep.equal([false, 2, []]);
    await clock.advance(1);
    expect([await isClosed(idle), await begun(3), busy.closed, late.closed]).to.deep.equal([true, 3, false, false]);
  });

  it('are not taken for idle where the process had no time to read their requests', async () => {
    await start({ connections: 2 });
    await open(GET);
    await begun(1);
    const idle = await open(GET);
    await begun(2);
    const answered = once(idle, 'data');
    pending[1]!.end();
    await answered;
    await open(GET);
    await oneWaits();
    await clock.block(300, () => idle.write(GET));
    expect([await begun(3), cuts]).to.deep.equal([3, []]);
    expect(pending[2]!.req.socket).to.equal(pending[1]!.req.socket);
  });

  it('wait for a place as far as there is room, and the first of them are refused for the last', async () => {
    await start({ connections: 1 });
    await open(GET);
    await begun(1);
    const waiting = [];
    for (let count = 0; count < 17; count += 1) waiting.push(await open(GET));
    expect(await isClosed(waiting[0]!)).to.equal(true);
    expect([waiting.filter(({ closed }) => closed).length, cuts]).to.deep.equal([
      1,
      ['refused: all connections are in use'],
    ]);
    pending[0]!.end();
    sockets[0]!.destroy();
    expect(await begun(2)).to.equal(2);
    waiting.at(-1)!.resume();
    pending[1]!.end('the answer of the last');
    const [text] = (await once(waiting.at(-1)!, 'data')) as [Buffer]; // reason: documented
    expect(text.toString()).to.include('the answer of the last');
  });

  it('are forgotten when they go while they wait, and leave their place to nobody: they had none', async () => {
    await start({ connections: 1 });
    await open(GET);
    await begun(1);
    const [leaving, staying] = [await open(GET), await open(GET)];
    await oneWaits();
    await clock.advance(100);
    leaving.destroy();
    await clock.advance(800);
    expect([pending.length, staying.closed, cuts]).to.deep.equal([1, false, []]);
    staying.destroy();
    await clock.untilWaiting(1);
  });

  it('call for a request that has been answered nothing of what was to be done at its end', async () => {
    await start({});
    const socket = await open(GET);
    await begun(1);
    const called = makeHeard<string>();
    const atEndOf = (response: ServerResponse, name: string): void =>
      connectionOf(response.req.socket).onceClosed(() => called.hear(name));
    atEndOf(pending[0]!, 'first');
    const answered = once(socket, 'data');
    pending[0]!.end();
    await answered;
    socket.write(GET);
    await begun(2);
    atEndOf(pending[1]!, 'second');
    socket.destroy();
    expect(await called.until(({ length }) => length > 0)).to.deep.equal(['second']);
  });

  it('are refused while all others are being worked for', async () => {
    await start({ connections: 2 });
    const busy = [await open(GET), await open(GET)];
    await begun(2);
    const late = await open(GET);
    await oneWaits();
    await clock.advance(999);
    expect(cuts).to.deep.equal([]);
    await clock.advance(1);
    expect(await isClosed(late)).to.equal(true);
    expect([busy.some(({ closed }) => closed), cuts]).to.deep.equal([false, ['refused: all connections are in use']]);
  });

  it('begin nothing for a client that has gone already', async () => {
    await start({});
    const port = Number(new URL(served.address).port);
    // another process, while this one does nothing: all have come and gone before the first is accepted
    spawnSync(process.execPath, ['-e', ASK_AND_RESET, String(port)]);
    await anotherBegun();
    // the first ones begin before there is a crowd
    expect(pending.length).to.be.below(26);
  });

  it('are not held to account for the time in which they waited', async () => {
    await start({ connections: 1 });
    const busy = await open(GET);
    await begun(1);
    const late = await open('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n');
    await oneWaits();
    await clock.advance(850);
    busy.destroy();
    pending[0]!.destroy();
    expect(await begun(2)).to.equal(2);
    await open(GET);
    await oneWaits();
    await clock.advance(400);
    expect([late.closed, cuts]).to.deep.equal([false, []]);
  });

  it('are counted when a request does not come in time', async () => {
    await start({ headersMs: 100 });
    const slow = await open('GET / HTTP/1.1\r\n');
    expect(await isClosed(slow)).to.equal(true);
    // its client may see the end first
    await news.until(() => cuts.length > 0);
    expect(cuts).to.deep.equal(['a request was not sent in time']);
  });

  it('are refused to an address all of whose others are being worked for', async () => {
    await start({ perAddress: 1 });
    await open(GET);
    await begun(1);
    expect(await isClosed(await open(GET))).to.equal(true);
    expect(cuts).to.deep.equal(['refused: all connections of its address are in use']);
  });

  it('take the place of one of their address that has stalled, where none is idle', async () => {
    await start({ perAddress: 2 });
    const working = await open(GET);
    await begun(1);
    const stalled = await open('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345');
    await begun(2);
    await clock.advance(1_000);
    const next = await open(GET);
    expect([await isClosed(stalled), await begun(3), working.closed, next.closed]).to.deep.equal([
      true,
      3,
      false,
      false,
    ]);
    expect(cuts).to.deep.equal(['too many connections of its address']);
  });

  it('are so many for one address, and the oldest idle one gives way', async () => {
    await start({ perAddress: 2 });
    const [first, second] = [await open(), await open()];
    const third = await open(GET);
    expect([await isClosed(first), await begun(1), second.closed, third.closed]).to.deep.equal([true, 1, false, false]);
    expect(cuts).to.deep.equal(['too many connections of its address']);
  });
});
