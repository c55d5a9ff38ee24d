import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { UNCOUNTED_BYTES } from '../../src/http/budget/process-budget.js';
import type { KoaContext } from '../../src/http/request-context.js';
import { bodyBytes } from '../../src/http/request/body-bytes.js';

const LIMIT = 256 * 1024;

describe('the bytes of a body', () => {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  /** A body that is read while the test writes it, and how it grants the bytes. */
  const reading = (headers: Readonly<Record<string, string>> = {}) => {
    const req = Object.assign(new PassThrough({ highWaterMark: 1_024 }), { headers });
    const asked: Array<number> = [];
    let grant: (isGranted: boolean) => void = () => undefined;
    const acquire = (_resource: string, amount: number): Promise<boolean> => {
      asked.push(amount);
      return new Promise((resolve) => (grant = resolve));
    };
    // reason: of Koa's context it reads no more
    const ctx = { req, res: {}, state: { acquire } } as unknown as KoaContext;
    return { req, asked, bytes: bodyBytes(ctx, LIMIT), grant: (isGranted: boolean) => grant(isGranted) };
  };

  it('are not read while they are not granted, and all of them are once they are', async () => {
    const { req, asked, bytes, grant } = reading();
    req.write(Buffer.alloc(UNCOUNTED_BYTES));
    await turn();
    expect([asked, req.isPaused()]).to.deep.equal([[], false]);
    req.write('x');
    await turn();
    req.end(Buffer.alloc(100_000));
    await turn();
    expect([asked, req.isPaused(), req.readableEnded]).to.deep.equal([[LIMIT], true, false]);
    grant(true);
    expect(E.isRight(await bytes) && (await bytes)).to.have.nested.property('right.length', UNCOUNTED_BYTES + 100_001);
    expect(asked).to.deep.equal([LIMIT]);
  });

  it('are left unread where they are not granted', async () => {
    const { req, bytes, grant } = reading();
    req.write(Buffer.alloc(UNCOUNTED_BYTES + 1));
    await turn();
    grant(false);
    expect(await bytes).to.deep.equal(E.left({ _tag: 'Overloaded' }));
    expect([req.isPaused(), req.listenerCount('data'), req.listenerCount('close')]).to.deep.equal([true, 0, 0]);
  });

  it('are left unread as soon as they are too many, and none is read where the request says so', async () => {
    const { req, bytes, grant } = reading();
    req.write(Buffer.alloc(UNCOUNTED_BYTES + 1));
    await turn();
    grant(true);
    await turn();
    req.write(Buffer.alloc(LIMIT));
    expect(await bytes).to.deep.equal(E.left({ _tag: 'PayloadTooLarge', limit: LIMIT }));
    expect(req.isPaused()).to.equal(true);
    const said = reading({ 'content-length': String(LIMIT + 1) });
    expect(await said.bytes).to.deep.equal(E.left({ _tag: 'PayloadTooLarge', limit: LIMIT }));
    expect(said.req.listenerCount('data')).to.equal(0);
  });

  it('are none of a client that goes before it has sent them, or while it waits', async () => {
    for (const size of [10, UNCOUNTED_BYTES + 1]) {
      const { req, bytes, grant } = reading();
      req.write(Buffer.alloc(size));
      await turn();
      req.destroy();
      expect(await bytes).to.deep.equal(E.left({ _tag: 'ClientGone' }));
      grant(false);
    }
  });
});
