import { expect } from 'chai';
import { pause } from '../../src/event-sourcing/pause.js';
import { eventually } from '../support/eventually.js';
import { UNSIGNED_MS, watchUnsigned } from '../../src/sealing/watch-unsigned.js';

const away = () => Promise.reject(new Error('away'));

/** A log, its ledger and the newest checkpoint, as a test sets them, with a clock of its own. */
const start = () => {
  const state = {
    head: 7n as bigint | undefined,
    extent: { size: 3, upTo: 7n },
    signed: 3 as number | undefined,
    isAway: false,
    clock: 0,
    looks: 0,
  };
  const watch = watchUnsigned({
    findHead: () => Promise.resolve(state.head),
    findExtent: () => (state.isAway ? away() : Promise.resolve(state.extent)),
    findSigned: () => {
      state.looks += 1;
      return Promise.resolve(state.signed);
    },
    lookMs: 1,
    now: () => state.clock,
  });
  /** It has looked at what is there since. */
  const looked = async (): Promise<void> => {
    const before = state.looks;
    await eventually(
      () => Promise.resolve(state.looks),
      (looks) => looks > before + 1,
    );
  };
  return { state, looked, ...watch };
};

describe('watching for events without a checkpoint', () => {
  let watch: ReturnType<typeof start>;

  beforeEach(() => {
    watch = start();
  });

  afterEach(() => watch.stop());

  const seconds = (): number => watch.unsignedMs() / 1_000;

  it('finds none where the newest checkpoint is over all of the log', async () => {
    await watch.looked();
    watch.state.clock = 100_000;
    await watch.looked();
    expect([seconds(), watch.signed()]).to.deep.equal([0, 3]);
  });

  it('counts from the first look that found some, until they are signed', async () => {
    const { state, looked } = watch;
    [state.head, state.extent] = [8n, { size: 4, upTo: 8n }];
    await looked();
    state.clock = 31_000;
    await looked();
    expect(seconds()).to.equal(31);
    expect(watch.unsignedMs()).to.be.greaterThan(UNSIGNED_MS);
    state.signed = 4;
    await looked();
    expect(seconds()).to.equal(0);
  });

  it('counts none where others come while each is signed soon', async () => {
    const { state, looked } = watch;
    for (let second = 1; second <= 100; second += 1) {
      state.clock = second * 1_000;
      [state.head, state.extent] = [7n + BigInt(second), { size: 3 + second, upTo: 7n + BigInt(second) }];
      state.signed = 2 + second;
      await looked();
      expect(seconds()).to.be.lessThan(2);
    }
  });

  it('counts those that the ledger does not have, and those that it gets meanwhile', async () => {
    const { state, looked } = watch;
    state.head = 9n;
    await looked();
    state.clock = 20_000;
    state.extent = { size: 5, upTo: 9n };
    await looked();
    expect(seconds()).to.equal(20);
    state.signed = 4;
    await looked();
    expect(seconds()).to.equal(20);
    state.signed = 5;
    await looked();
    expect(seconds()).to.equal(0);
  });

  it('takes what cannot be asked for not signed', async () => {
    const { state } = watch;
    await watch.looked();
    [state.isAway, state.head] = [true, 8n];
    await pause(20);
    state.clock = 40_000;
    expect(seconds()).to.equal(40);
    Object.assign(state, { isAway: false, extent: { size: 4, upTo: 8n }, signed: 4 });
    await watch.looked();
    expect(seconds()).to.equal(0);
  });

  it('does not wait for events that the log has lost', async () => {
    const { state, looked } = watch;
    state.head = 9n;
    await looked();
    state.clock = 40_000;
    state.head = 7n;
    await looked();
    expect(seconds()).to.equal(0);
  });

  it('goes on counting where the log has lost events that the ledger still has', async () => {
    const { state, looked } = watch;
    [state.head, state.extent] = [9n, { size: 5, upTo: 9n }];
    await looked();
    state.clock = 40_000;
    state.head = 7n;
    await looked();
    expect(seconds()).to.equal(40);
  });

  it('counts none where nobody signs', async () => {
    const { state, looked } = watch;
    [state.head, state.signed] = [9n, undefined];
    await looked();
    state.clock = 40_000;
    await looked();
    expect([seconds(), watch.signed()]).to.deep.equal([0, undefined]);
  });
});
