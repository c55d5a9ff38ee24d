import { expect } from 'chai';
import type { Read } from '../../../src/read/access/access-record.js';
import { makeAwaitedReads } from '../../../src/read/access/awaited-reads.js';
import type { AccessEvent } from '../../../src/read/access/read-writer.js';
import { makeManualClock } from '../../support/manual-clock.js';
import { aRead } from '../../support/reads.js';

/** A record whose statements end when the test says so. */
const recording = () => {
  const clock = makeManualClock();
  const statements: Array<{ readonly rows: number; readonly end: (error?: Error) => void }> = [];
  const events: Array<AccessEvent> = [];
  const add = (reads: ReadonlyArray<Read>): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (error?: Error): void => (error === undefined ? resolve() : reject(error));
      statements.push({ rows: reads.length, end });
    });
  const writer = makeAwaitedReads(clock, { add }, (event) => events.push(event));
  /** What has become of reads by now; undefined: their answers wait. */
  const write = (count: number, until = Infinity): Array<boolean | undefined> => {
    const outcomes: Array<boolean | undefined> = Array.from({ length: count }, () => undefined);
    outcomes.forEach((_, i) => void writer.write(aRead(), until)?.then((isRecorded) => (outcomes[i] = isRecorded)));
    return outcomes;
  };
  return { clock, writer, statements, events, write };
};

describe('reads whose answers wait until they are recorded', () => {
  it('share a statement with those that come while another one is under way', async () => {
    const { clock, statements, write } = recording();
    const first = write(2);
    await clock.advance(0);
    const second = write(3);
    await clock.advance(0);
    expect(statements.map(({ rows }) => rows)).to.deep.equal([2]);
    expect([...first, ...second]).to.deep.equal([undefined, undefined, undefined, undefined, undefined]);
    statements[0]?.end();
    await clock.advance(0);
    expect(first).to.deep.equal([true, true]);
    statements[1]?.end();
    await clock.advance(0);
    expect([statements.map(({ rows }) => rows), second]).to.deep.equal([
      [2, 3],
      [true, true, true],
    ]);
    expect(clock.waiting()).to.equal(0);
  });

  it('wait no longer than their answers are due, and a moment where those are due already', async () => {
    for (const [until, waits] of [
      [1_000, 1_000],
      [10_000, 2_400],
      [-5_000, 200],
    ] as const) {
      const { clock, write } = recording();
      const outcomes = write(1, until);
      await clock.advance(waits - 1);
      expect(outcomes).to.deep.equal([undefined]);
      await clock.advance(1);
      expect(outcomes).to.deep.equal([false]);
    }
  });

  it('are not answered where the database does not take them, nor are those that wait behind them', async () => {
    const { clock, writer, statements, events, write } = recording();
    const first = write(1);
    await clock.advance(0);
    const second = write(2);
    statements[0]?.end(new Error('away'));
    await clock.advance(0);
    expect([first, second]).to.deep.equal([[false], [false, false]]);
    expect([writer.isFailing(), events.map(({ _tag: tag }) => tag)]).to.deep.equal([true, ['NotWritten']]);
    const third = write(1);
    await clock.advance(0);
    statements[1]?.end();
    await clock.advance(0);
    expect([third, writer.isFailing(), writer.lost()]).to.deep.equal([[true], false, 0]);
  });

  it('are not answered where the database is silent, and are not written later', async () => {
    const { clock, statements, write } = recording();
    const first = write(1);
    await clock.advance(0);
    const second = write(1);
    await clock.advance(2_400);
    expect([first, second]).to.deep.equal([[false], [false]]);
    statements[0]?.end();
    await clock.advance(0);
    expect(statements).to.have.length(1);
  });

  it('are refused at once where 10,000 wait, and when the service has stopped', async () => {
    const { clock, writer, statements, write } = recording();
    const waiting = write(10_001);
    await clock.advance(0);
    expect(waiting.filter((isRecorded) => isRecorded === false)).to.have.length(1);
    const stopped = writer.stop();
    const late = write(1);
    for (let i = 0; i < 50; i += 1) {
      statements[i]?.end();
      await clock.advance(0);
    }
    await stopped;
    expect(waiting.filter((isRecorded) => isRecorded === true)).to.have.length(10_000);
    expect(late).to.deep.equal([false]);
  });
});
