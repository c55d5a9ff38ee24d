import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { loopTurn, noteArrival } from '../../../src/http/budget/loop-turns.js';

describe('long work in turns of the event loop', () => {
  let turn: number;
  let counting: NodeJS.Immediate;
  let isNoting: boolean;
  beforeEach(() => {
    [turn, isNoting] = [0, false];
    const count = (): void => {
      turn += 1;
      if (isNoting) noteArrival();
      counting = setImmediate(count);
    };
    count();
  });
  afterEach(() => clearImmediate(counting));

  const begun = (pieces: number, bytes?: number): Promise<ReadonlyArray<number>> =>
    Promise.all(Array.from({ length: pieces }, () => loopTurn(bytes).then(() => turn)));
  const inOneTurn = (turns: ReadonlyArray<number>): number =>
    Math.max(...turns.map((one) => turns.filter((other) => other === one).length));

  it('is one large piece in each', async () => {
    const turns = await begun(10);
    expect(new Set(turns).size).to.equal(10);
    expect(turns).to.deep.equal(turns.toSorted((one, other) => one - other));
  });

  it('is so many small pieces in each', async () => {
    const turns = await begun(40, 64 * 1024);
    expect(inOneTurn(turns)).to.be.within(2, 4);
  });

  it('waits while connections come, and goes on slowly if they never cease', async () => {
    isNoting = true;
    noteArrival();
    const before = turn;
    const turns = await begun(3);
    expect(turns[0]! - before).to.be.above(4);
    expect(turns[2]! - before).to.be.within(20, 40);
    isNoting = false;
    expect((await begun(1))[0]! - turns[2]!).to.be.below(12);
  });

  it('keeps no connection from being accepted, however much of it there is', async () => {
    const connections = 100;
    const milliseconds = 5;
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    let isOver = false;
    let pieces = 0;
    const work = async (): Promise<void> => {
      while (!isOver) {
        await loopTurn();
        const end = performance.now() + milliseconds;
        while (performance.now() < end);
        pieces += 1;
        await new Promise(setImmediate);
      }
    };
    const working = Array.from({ length: 8 }, work);
    const accepted: Array<Socket> = [];
    const all = new Promise<void>((resolve) => {
      server.on('connection', (socket) => {
        noteArrival();
        if (accepted.push(socket) === connections) resolve();
      });
    });
    // reason: a server that listens on a TCP port has this form of address
    const { port } = server.address() as { readonly port: number };
    const clients = Array.from({ length: connections }, () => connect(port, '127.0.0.1'));
    await all;
    isOver = true;
    await Promise.all(working);
    for (const socket of [...accepted, ...clients]) socket.destroy();
    server.close();
    // all eight of them in each turn would have been a piece for each worker and connection
    expect(pieces).to.be.within(1, connections * 2);
  });
});
