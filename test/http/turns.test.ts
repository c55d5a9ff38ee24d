import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { makeTurns } from '../../src/http/record/turns.js';

describe('turns', () => {
  const turns = (patienceMs: number) => makeTurns({ places: 1, patienceMs, courtesyMs: 50 });
  const endless = (): Readable => new Readable({ read: () => undefined });

  it('come one after another, in the order in which they were asked for', async () => {
    const { take } = turns(5_000);
    const order: Array<number> = [];
    const taking = [1, 2, 3].map(async (number) => {
      const turn = await take();
      await delay(5);
      order.push(number);
      turn?.end();
      turn?.end();
    });
    await Promise.all(taking);
    expect(order).to.deep.equal([1, 2, 3]);
  });

  it('are refused to who waits for too long, and only then', async () => {
    const { take } = turns(100);
    const first = await take();
    expect(await take()).to.equal(undefined);
    first?.end();
    expect(await take()).not.to.equal(undefined);
  });

  it('end with the body they were lent to', async () => {
    const { take } = turns(5_000);
    const body = endless();
    (await take())?.lendTo(body);
    const next = take();
    body.destroy();
    expect(await next).not.to.equal(undefined);
  });

  it('are taken from a reader that has stopped when another waits, and not before', async () => {
    const { take } = turns(5_000);
    const first = await take();
    const body = endless().on('error', () => undefined);
    first?.lendTo(body);
    first?.heldUp(true);
    await delay(300);
    expect(body.destroyed).to.equal(false);
    expect(await take()).not.to.equal(undefined);
    expect(body.errored?.message).to.match(/gave way/);
  });

  it('are left to a reader that goes on', async () => {
    const { take } = turns(400);
    const first = await take();
    const body = endless().on('error', () => undefined);
    first?.lendTo(body);
    first?.heldUp(true);
    first?.heldUp(false);
    expect(await take()).to.equal(undefined);
    expect(body.destroyed).to.equal(false);
    body.destroy();
  });
});
