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
});
