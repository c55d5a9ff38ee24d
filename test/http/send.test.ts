import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { Connection } from '../../src/http/budget/connection.js';
import { makeTimeSlices } from '../../src/http/budget/time-slice.js';
import type { KoaContext } from '../../src/http/request-context.js';
import { ReaderGone } from '../../src/http/problem/log-fields.js';
import { send } from '../../src/http/response/send.js';
import { makeManualClock } from '../support/manual-clock.js';

/** Of Koa's context what is used of it. */
const contextOf = (context: object): KoaContext => context as KoaContext; // reason: nothing else is

const aConnection = (): Connection => {
  const clock = makeManualClock();
  return new Connection(clock, makeTimeSlices(clock), new Socket());
};

describe('an answer that is a stream', () => {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  /** A stream that fails while it is closed, as one of a file that cannot be opened. */
  const failing = (): Readable =>
    new Readable({ read: () => undefined, destroy: (_error, done) => setImmediate(() => done(new Error('too late'))) });

  const sendTo = async (method: string, response: object, body: Readable): Promise<boolean> => {
    const res = { destroyed: false, headersSent: false, writeHead: () => res, end: () => res, ...response };
    const ctx = { req: { method, headers: {}, complete: true }, res, state: { requestId: 'r' } };
    const clock = makeManualClock();
    await send(contextOf(ctx), { status: 200, body }, aConnection(), { clock, timeoutMs: 1_000 });
    // an error that nobody listens to would end the process
    await turn();
    await turn();
    return body.destroyed && clock.waiting() === 0;
  };

  it('is closed without being read for HEAD, and may fail at that', async () => {
    expect(await sendTo('HEAD', {}, failing())).to.equal(true);
  });

  it('is closed where nobody waits for it any more, or something was answered already', async () => {
    expect(await sendTo('GET', { destroyed: true }, failing())).to.equal(true);
    expect(await sendTo('GET', { headersSent: true }, failing())).to.equal(true);
  });
});

describe('an answer that is sent as it comes', () => {
  it('is broken off where it fails, so that its part does not look like the whole', async () => {
    const res = { destroyed: false, writeHead: () => res, write: () => true };
    const timeSlice = (): Promise<void> => Promise.resolve();
    const ctx = { req: { method: 'GET', headers: {} }, res, state: { requestId: 'r', timeSlice } };
    const connection = aConnection();
    async function* parts(): AsyncGenerator<Buffer, void, undefined> {
      yield await Promise.resolve(Buffer.from('a part'));
      throw new Error('the ledger is away');
    }
    const patience = { clock: makeManualClock(), timeoutMs: 1_000 };
    const sending = send(contextOf(ctx), { status: 200, live: parts() }, connection, patience);
    expect(await sending?.catch((error: unknown) => String(error))).to.equal('Error: the ledger is away');
    expect(connection.isGone()).to.equal(true);
  });
});

describe('a large answer', () => {
  const PIECES = 3;

  /** A response that takes all, and `leave`, by which its reader goes. */
  const aResponse = () => {
    const res = Object.assign(new EventEmitter(), {
      ...{ destroyed: false, writableFinished: false, headersSent: false },
      writeHead: () => res,
      write: () => !res.destroyed,
      end: () => {
        res.writableFinished = true;
        res.emit('finish');
      },
    });
    const leave = (): void => {
      res.destroyed = true;
      res.emit('close');
    };
    return { res, leave };
  };

  type Moments = { readonly slice?: () => void; readonly write?: () => boolean; readonly end?: () => void };

  /** What comes of it, without time passing; `tell`: what is done at its moments, given how its reader goes. */
  const sent = async (tell: (leave: () => void) => Moments): Promise<readonly [outcome: string, timers: number]> => {
    const { res, leave } = aResponse();
    const { slice, ...moments } = tell(leave);
    Object.assign(res, moments);
    const timeSlice = (): Promise<void> => Promise.resolve(slice?.());
    const ctx = { req: { method: 'GET', headers: {}, complete: true }, res, state: { requestId: 'r', timeSlice } };
    const clock = makeManualClock();
    const body = Buffer.alloc(PIECES * 64 * 1024);
    let outcome = 'it waits';
    const sending = send(contextOf(ctx), { status: 200, body }, aConnection(), { clock, timeoutMs: 1_000 });
    void sending?.then(
      () => (outcome = 'sent'),
      (error: unknown) => (outcome = error instanceof ReaderGone ? 'given up' : String(error)),
    );
    await clock.advance(0);
    return [outcome, clock.waiting()];
  };

  it('is sent in pieces, and its reader is timed no longer', async () => {
    let pieces = 0;
    const write = (): boolean => (pieces += 1) > 0;
    expect([await sent(() => ({ write })), pieces]).to.deep.equal([['sent', 0], PIECES]);
  });

  const moments: Readonly<Record<string, (leave: () => void) => Moments>> = {
    'before a piece': (leave) => ({ slice: leave }),
    'while it takes a piece': (leave) => ({
      write: () => {
        setImmediate(leave);
        return false;
      },
    }),
    'with the last piece': (leave) => {
      let pieces = 0;
      const write = (): boolean => {
        pieces += 1;
        if (pieces === PIECES) leave();
        return true;
      };
      return { write };
    },
    'before it has all': (leave) => ({ end: () => void setImmediate(leave) }),
  };
  for (const [when, tell] of Object.entries(moments))
    it(`is given up where its reader goes ${when}`, async () => {
      expect(await sent(tell)).to.deep.equal(['given up', 0]);
    });
});
