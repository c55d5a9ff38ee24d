import { expect } from 'chai';
import { makePhases, makeProgress } from '../../src/cli/progress.js';
import { makeManualClock } from '../support/manual-clock.js';

const watched = (isTerminal: boolean) => {
  const written: Array<string> = [];
  const clock = makeManualClock();
  let columns = 100;
  const write = (text: string): void => void written.push(text);
  const terminal = { isTerminal, columns: () => columns, write, clock };
  const at = (ms: number): Promise<void> => clock.advance(ms - clock.monotonic());
  return { written, terminal, at, widen: (to: number) => (columns = to) };
};

describe('the progress of a command', () => {
  it('is one plain line a second where nobody looks on', async () => {
    const { written, terminal, at } = watched(false);
    const { report, end } = makeProgress('verifying', ['event'], terminal);
    for (const ms of [100, 999, 1000, 1500, 2000]) {
      await at(ms);
      report(ms, ms / 10_000);
    }
    end();
    expect(written).to.deep.equal([
      'verifying  10%  1000 events  1000/s  00:09 left\n',
      'verifying  20%  2000 events  1000/s  00:08 left\n',
    ]);
  });

  it('is a bar that draws over itself on a terminal, and is gone at the end', async () => {
    const { written, terminal, at } = watched(true);
    const { report, end } = makeProgress('copying', ['event'], terminal);
    await at(100);
    report(50, 0.5);
    await at(7_300_000);
    report(100, 0.5);
    end();
    expect(written).to.deep.equal([
      '\r\u001b[2K[############............] copying  50%  50 events  500/s  00:01 left',
      '\r\u001b[2K[############............] copying  50%  100 events  0/s  2:01:40 left',
      '\r\u001b[2K',
    ]);
  });

  it('stays within one line of a terminal, however narrow that becomes', async () => {
    const { written, terminal, at, widen } = watched(true);
    const { report } = makeProgress('copying', ['event'], terminal);
    for (const [ms, columns] of [
      [200, 71],
      [400, 70],
      [600, 20],
      [800, 1],
      [1_000, 0],
    ] as const) {
      await at(ms);
      widen(columns);
      report(ms / 2, 0.5);
    }
    expect(written.map((text) => text.slice('\r\u001b[2K'.length))).to.deep.equal([
      '[############............] copying  50%  100 events  500/s  00:01 left',
      'copying  50%  200 events  500/s  00:01 left',
      'copying  50%  300 e',
      '',
      // one whose width nobody knows
      '[############............] copying  50%  500 events  500/s  00:01 left',
    ]);
  });

  it('begins anew with each phase, and is one where lines are printed between', async () => {
    const { written, terminal, at } = watched(true);
    const { report, end } = makePhases(terminal);
    for (const [ms, phase] of [
      [100, 'copying'],
      [300, 'copying'],
      [400, 'verifying'],
      [600, 'verifying'],
    ] as const) {
      await at(ms);
      report(phase, ms);
      if (ms === 300) end();
    }
    end();
    const clear = '\r\u001b[2K';
    expect(written).to.deep.equal([
      `${clear}copying  300 events  1500/s`,
      clear,
      `${clear}verifying  600 events  3000/s`,
      clear,
    ]);
  });

  it('speaks of one thing as of one', async () => {
    const { written, terminal, at } = watched(false);
    const { report } = makeProgress('verifying', ['entity', 'entities'], terminal);
    await at(1000);
    report(1);
    await at(2000);
    report(2);
    expect(written).to.deep.equal(['verifying  1 entity  1/s\n', 'verifying  2 entities  1/s\n']);
  });

  it('gives count and rate alone where the end is not known', async () => {
    const { written, terminal, at } = watched(false);
    await at(0);
    const { report } = makeProgress('importing', ['line'], terminal);
    await at(2000);
    report(10);
    expect(written).to.deep.equal(['importing  10 lines  5/s\n']);
  });
});
