import { expect } from 'chai';
import { isUuid } from '../../src/event-sourcing/uuid.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const { clock, random } = systemRuntime;

const hexOf = (bytes: Buffer): string => bytes.toString('hex');

describe("the machine's chance", () => {
  it('gives 16 bytes each time, never the same, and they stay what they are when more are drawn', () => {
    const drawn = Array.from({ length: 1_000 }, () => random.bytes(16));
    const atOnce = drawn.map(hexOf);
    for (let more = 0; more < 1_000; more += 1) random.bytes(16);
    expect(new Set(atOnce).size).to.equal(1_000);
    expect(new Set(atOnce.map((text) => text.length))).to.deep.equal(new Set([32]));
    expect(drawn.map(hexOf)).to.deep.equal(atOnce);
  });

  it('gives bytes of all sizes in turn, and none of them twice', () => {
    const sizes = Array.from({ length: 600 }, (_, index) => [15, 16, 17, 8, 5_000][index % 5]!);
    const drawn = sizes.map((size) => random.bytes(size));
    expect(drawn.map(({ length }) => length)).to.deep.equal(sizes);
    // what overlapped would have 8 bytes in common
    const windows = drawn.filter(({ length }) => length <= 17).map((bytes) => hexOf(bytes.subarray(0, 8)));
    expect(new Set(windows).size).to.equal(windows.length);
    expect(random.bytes(0)).to.have.length(0);
  });

  it('gives what may be a secret memory that nothing else lies in', () => {
    const secrets = Array.from({ length: 3 }, () => random.bytes(32));
    expect(secrets.map(({ buffer }) => buffer.byteLength)).to.deep.equal([32, 32, 32]);
  });

  it('gives UUIDs of version 7 that sort by the time of day', async () => {
    const before = clock.date().getTime();
    const ids = [random.uuid()];
    for (let each = 0; each < 3; each += 1) {
      await clock.sleep(2);
      ids.push(random.uuid());
    }
    const after = clock.date().getTime();
    expect(ids.every(isUuid)).to.equal(true);
    expect(new Set(ids.map((id) => id[14]))).to.deep.equal(new Set(['7']));
    expect([...ids].sort()).to.deep.equal(ids);
    for (const id of ids) expect(parseInt(id.replace('-', '').slice(0, 12), 16)).to.be.within(before, after);
    expect(new Set(Array.from({ length: 1_000 }, random.uuid)).size).to.equal(1_000);
  });

  it('gives fractions of one', () => {
    const drawn = Array.from({ length: 1_000 }, random.fraction);
    expect(Math.min(...drawn)).to.be.at.least(0);
    expect(Math.max(...drawn)).to.be.below(1);
    expect(new Set(drawn).size).to.be.greaterThan(990);
  });
});

describe("the machine's clock", () => {
  it('runs what it was asked for after its time, and nothing that was cancelled', async () => {
    const ran: Array<string> = [];
    const cancels = [
      clock.after(1, () => ran.push('after')),
      clock.every(1, () => ran.push('every')),
      clock.soon(() => ran.push('soon')),
    ];
    for (const cancel of cancels) cancel();
    const began = clock.monotonic();
    await new Promise<void>((resolve) => clock.after(20, resolve));
    // a timer counts in whole ms
    expect(clock.monotonic() - began).to.be.at.least(19);
    expect(ran).to.deep.equal([]);
    let turns = 0;
    await new Promise<void>((resolve) => {
      const cancel = clock.every(1, () => {
        turns += 1;
        if (turns < 3) return;
        cancel();
        resolve();
      });
    });
    await clock.sleep(10);
    expect(turns).to.equal(3);
  });

  it('does not end at once what is to last longer than a timer of Node counts', async () => {
    const ran: Array<number> = [];
    const long = [2 ** 31, 2 ** 33, Infinity];
    const cancels = long.map((ms) => clock.after(ms, () => ran.push(ms)));
    await clock.sleep(20);
    expect(ran).to.deep.equal([]);
    for (const cancel of cancels) cancel();
  });

  it('sleeps until its time, or its signal', async () => {
    const leaving = new AbortController();
    const asleep = clock.sleep(60_000, leaving.signal);
    leaving.abort();
    expect([await asleep, await clock.sleep(60_000, leaving.signal), await clock.sleep(1)]).to.deep.equal([
      false,
      false,
      true,
    ]);
  });
});
