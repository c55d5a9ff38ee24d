import { expect } from 'chai';
import { UNSIGNED_MS, watchUnsigned } from '../../src/sealing/watch-unsigned.js';
import { makeManualClock } from '../support/manual-clock.js';

const LOOK_MS = 2_000;

const away = () => Promise.reject(new Error('away'));

/** A log, its ledger and the newest checkpoint, as a test sets them. */
const start = () => {
  const state = {
    head: 7n as bigint | undefined,
    extent: { size: 3, upTo: 7n },
    signed: 3 as number | undefined,
    isAway: false,
  };
  const clock = makeManualClock();
  const watch = watchUnsigned({
    clock,
    findHead: () => Promise.resolve(state.head),
    findExtent: () => (state.isAway ? away() : Promise.resolve(state.extent)),
    findSigned: () => Promise.resolve(state.signed),
  });
  /** It looks at what is there since. */
  const looks = (): Promise<void> => clock.advance(LOOK_MS);
  return { state, clock, looks, ...watch };
};

describe('watching for events without a checkpoint', () => {
  let watch: ReturnType<typeof start>;

  beforeEach(async () => {
    watch = start();
    await watch.looks();
  });

  afterEach(() => watch.stop());

  const seconds = (): number => watch.unsignedMs() / 1_000;

  it('finds none where the newest checkpoint is over all of the log', async () => {
    await watch.looks();
    await watch.clock.advance(100_000);
    expect([seconds(), watch.signed()]).to.deep.equal([0, 3]);
  });

  it('counts from the first look that found some, until they are signed', async () => {
    const { state, clock, looks } = watch;
    [state.head, state.extent] = [8n, { size: 4, upTo: 8n }];
    await looks();
    await clock.advance(31_000);
    expect(seconds()).to.equal(31);
    expect(watch.unsignedMs()).to.be.greaterThan(UNSIGNED_MS);
    state.signed = 4;
    await looks();
    expect(seconds()).to.equal(0);
  });

  it('counts none where others come while each is signed soon', async () => {
    const { state, clock } = watch;
    for (let second = 1; second <= 100; second += 1) {
      [state.head, state.extent] = [7n + BigInt(second), { size: 3 + second, upTo: 7n + BigInt(second) }];
      state.signed = 2 + second;
      await clock.advance(1_000);
      expect(seconds()).to.be.lessThan(2);
    }
  });

  it('counts those that the ledger does not have, and those that it gets meanwhile', async () => {
    const { state, clock, looks } = watch;
    state.head = 9n;
    await looks();
    state.extent = { size: 5, upTo: 9n };
    await clock.advance(20_000);
    expect(seconds()).to.equal(20);
    state.signed = 4;
    await looks();
    expect(seconds()).to.equal(22);
    state.signed = 5;
    await looks();
    expect(seconds()).to.equal(0);
  });

  it('takes what cannot be asked for not signed', async () => {
    const { state, clock, looks } = watch;
    await looks();
    [state.isAway, state.head] = [true, 8n];
    await looks();
    await clock.advance(40_000);
    expect(seconds()).to.equal(40);
    Object.assign(state, { isAway: false, extent: { size: 4, upTo: 8n }, signed: 4 });
    await looks();
    expect(seconds()).to.equal(0);
  });

  it('does not wait for events that the log has lost', async () => {
    const { state, clock, looks } = watch;
    state.head = 9n;
    await looks();
    await clock.advance(40_000);
    expect(seconds()).to.equal(40);
    state.head = 7n;
    await looks();
    expect(seconds()).to.equal(0);
  });

  it('goes on counting where the log has lost events that the ledger still has', async () => {
    const { state, clock, looks } = watch;
    [state.head, state.extent] = [9n, { size: 5, upTo: 9n }];
    await looks();
    await clock.advance(40_000);
    state.head = 7n;
    await looks();
    expect(seconds()).to.equal(42);
  });

  it('counts none where nobody signs', async () => {
    const { state, clock, looks } = watch;
    [state.head, state.signed] = [9n, undefined];
    await looks();
    await clock.advance(40_000);
    expect([seconds(), watch.signed()]).to.deep.equal([0, undefined]);
  });

  it('counts none in a log without events', async () => {
    const { state, clock, looks } = watch;
    Object.assign(state, { head: undefined, extent: { size: 0, upTo: 0n }, signed: 0 });
    await looks();
    await clock.advance(40_000);
    expect(seconds()).to.equal(0);
  });

  it('does not wait for events of a log that has lost all of them', async () => {
    const { state, looks } = watch;
    Object.assign(state, { head: 1n, extent: { size: 0, upTo: 0n }, signed: 0 });
    await looks();
    await looks();
    expect(seconds()).to.equal(2);
    state.head = undefined;
    await looks();
    expect(seconds()).to.equal(0);
  });

  it('counts from the look that found the oldest of those that are left', async () => {
    const { state, looks } = watch;
    for (const head of [8n, 9n, 10n]) {
      state.head = head;
      await looks();
    }
    expect(seconds()).to.equal(4);
    for (const [size, left] of [
      [4, 4],
      [5, 4],
      [6, 0],
    ] as const) {
      Object.assign(state, { extent: { size, upTo: BigInt(size + 4) }, signed: size });
      await looks();
      expect(seconds()).to.equal(left);
    }
  });

  it('counts from the look that found what came after a long time without events', async () => {
    const { state, looks } = watch;
    for (const head of [8n, 9n, 10n]) {
      state.head = head;
      await looks();
    }
    for (let count = 0; count < 30; count += 1) await looks();
    state.head = 11n;
    await looks();
    Object.assign(state, { extent: { size: 6, upTo: 10n }, signed: 6 });
    await looks();
    expect(seconds()).to.equal(2);
  });

  it('remembers sixteen heads, and finds what came later by its next look', async () => {
    const { state, looks } = watch;
    for (let head = 8n; head < 40n; head += 1n) {
      state.head = head;
      await looks();
    }
    expect(seconds()).to.equal(62);
    Object.assign(state, { extent: { size: 19, upTo: 23n }, signed: 19 });
    await looks();
    expect(seconds()).to.equal(0);
    await looks();
    await looks();
    expect(seconds()).to.equal(2);
  });

  it('waits for nothing when it has been stopped', async () => {
    await watch.stop();
    expect(watch.clock.waiting()).to.equal(0);
  });
});
