import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { connectionOf } from '../../../src/http/budget/connection.js';
import { makeTimeSlices, type TimeSlices } from '../../../src/http/budget/time-slice.js';
import { serve } from '../../../src/http/serve.js';
import { makeNews } from '../../support/news.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

describe('long work in slices of time', () => {
  let slices: TimeSlices;
  let iteration: number;
  let counting: NodeJS.Immediate;
  let isNoting: boolean;
  beforeEach(() => {
    [iteration, isNoting] = [0, false];
    slices = makeTimeSlices(systemRuntime.clock);
    const count = (): void => {
      iteration += 1;
      if (isNoting) slices.noteArrival();
      counting = setImmediate(count);
    };
    count();
  });
  afterEach(() => clearImmediate(counting));

  const begun = (pieces: number, bytes?: number): Promise<ReadonlyArray<number>> =>
    Promise.all(Array.from({ length: pieces }, () => slices.timeSlice(bytes).then(() => iteration)));
  const inOne = (iterations: ReadonlyArray<number>): number =>
    Math.max(...iterations.map((one) => iterations.filter((other) => other === one).length));

  it('is one large piece in each', async () => {
    const iterations = await begun(10);
    expect(new Set(iterations).size).to.equal(10);
    expect(iterations).to.deep.equal(iterations.toSorted((one, other) => one - other));
  });

  it('is so many small pieces in each', async () => {
    const iterations = await begun(40, 64 * 1024);
    expect(inOne(iterations)).to.be.within(2, 4);
  });

  it('waits while connections come, and goes on slowly if they never cease', async () => {
    isNoting = true;
    slices.noteArrival();
    const before = iteration;
    const iterations = await begun(3);
    expect(iterations[0]! - before).to.be.above(4);
    expect(iterations[2]! - before).to.be.within(20, 40);
    isNoting = false;
    expect((await begun(1))[0]! - iterations[2]!).to.be.below(12);
  });

  it('keeps no connection from being accepted, however much of it there is', async () => {
    const connections = 100;
    const milliseconds = 5;
    let isOver = false;
    let pieces = 0;
    const work = async (socket: Socket): Promise<void> => {
      while (!isOver) {
        await connectionOf(socket).timeSlice();
        const end = performance.now() + milliseconds;
        while (performance.now() < end);
        pieces += 1;
        await new Promise(setImmediate);
      }
    };
    const working: Array<Promise<void>> = [];
    let answered = 0;
    const news = makeNews();
    const { address, stop } = await serve(
      ({ socket }, response) => {
        if (working.length === 0) working.push(...Array.from({ length: 8 }, () => work(socket)));
        answered += 1;
        news.tell();
        response.end();
      },
      { runtime: systemRuntime, host: '127.0.0.1', port: 0 },
    );
    const ask = (): Socket =>
      connect(Number(new URL(address).port), '127.0.0.1', function (this: Socket) {
        this.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      });
    const first = ask();
    await once(first, 'data');
    pieces = 0;
    const clients = [first, ...Array.from({ length: connections }, ask)];
    await news.until(() => answered === connections + 1);
    isOver = true;
    await Promise.all(working);
    for (const client of clients) client.destroy();
    await stop(10);
    // with a piece in each iteration there would be one for each connection at least
    expect(pieces).to.be.within(1, connections / 2);
  });
});
