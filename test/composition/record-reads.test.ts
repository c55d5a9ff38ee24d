import { expect } from 'chai';
import { recordReads } from '../../src/composition/record-reads.js';
import { Started } from '../../src/composition/started.js';
import type { AccessRecording } from '../../src/config/variables.js';
import { makeLogger } from '../../src/infrastructure/logging/logger.js';
import { makeMetrics } from '../../src/infrastructure/metrics/metrics.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { makeManualClock } from '../support/manual-clock.js';
import { makeMemoryAccessRecord } from '../support/memory-access-record.js';
import { aRead } from '../support/reads.js';

/** The record of reads of a service, in a database that takes rows while `isThere`. */
const start = (accessRecord: AccessRecording, record = makeMemoryAccessRecord()) => {
  const clock = makeManualClock();
  const lines: Array<string> = [];
  const log = makeLogger(clock, 'info', false, { write: (line: string) => void lines.push(line) });
  const metrics = makeMetrics(clock);
  const started = new Started();
  const database = { isThere: true };
  const add: typeof record.add = (reads) => (database.isThere ? record.add(reads) : Promise.reject(new Error('away')));
  const closed: Array<string> = [];
  const close = (): Promise<void> => {
    closed.push('record of reads');
    return Promise.resolve();
  };
  const { recordRead, warnings } = recordReads(
    { config: { accessRecord }, log, runtime: { ...systemRuntime, clock }, metrics, started },
    { readModels: { accessRecord: () => ({ ...record, add, close }) } },
  );
  const said = (): ReadonlyArray<string> => lines.map((line) => (JSON.parse(line) as { readonly msg: string }).msg);
  const given = (): ReadonlyArray<string> => Object.keys(warnings).filter((name) => warnings[name]?.() === true);
  const lost = async () => /^access_record_lost_total (\d+)$/m.exec((await metrics.read()).body)?.[1];
  return { clock, record, recordRead, database, lines, said, given, lost, closed, stop: () => started.stop() };
};

const WARNING = 'the database does not take the record of reads';

describe('a service that records reads', () => {
  it('answers while the database is away, holds 10,000 rows and no more, counts what is lost, and warns', async () => {
    const { clock, record, recordRead, database, said, given, lost, stop } = start('on');
    await clock.advance(0);
    expect([given(), await lost()]).to.deep.equal([[], '0']);
    database.isThere = false;
    for (let i = 0; i < 10_005; i += 1) expect(recordRead?.(aRead(), Infinity)).to.equal(undefined);
    await clock.advance(10_000);
    expect([given(), await lost()]).to.deep.equal([[WARNING], '5']);
    database.isThere = true;
    await clock.advance(10_000);
    expect([given(), record.rows.length]).to.deep.equal([[], 10_000]);
    expect(said().toSorted()).to.deep.equal(
      [
        'reads are lost: they were answered, and the record of reads will not have them',
        'the record of reads is not written; trying again',
        'the record of reads is written again',
      ].toSorted(),
    );
    await stop();
    expect(clock.waiting()).to.equal(0);
  });

  it('says how many reads it loses when it stops while the database is away', async () => {
    const { clock, recordRead, database, lines, stop } = start('on');
    await clock.advance(0);
    database.isThere = false;
    for (let i = 0; i < 7; i += 1) void recordRead?.(aRead(), Infinity);
    await stop();
    expect(lines.at(-1)).to.match(/"lost":7\b/);
  });

  it('writes what it holds before it closes the record', async () => {
    const { clock, record, recordRead, closed, stop } = start('on');
    await clock.advance(0);
    void recordRead?.(aRead(), Infinity);
    expect(record.rows).to.have.length(0);
    await stop();
    expect([record.rows.length, closed]).to.deep.equal([1, ['record of reads']]);
  });

  it('says of a read that is required whether it is recorded, and loses none', async () => {
    const { clock, record, recordRead, database, given, lost, stop } = start('required');
    await clock.advance(0);
    const first = recordRead?.(aRead(), Infinity);
    await clock.advance(0);
    expect([await first, record.rows.length]).to.deep.equal([true, 1]);
    database.isThere = false;
    const second = recordRead?.(aRead(), Infinity);
    await clock.advance(0);
    expect([await second, given(), await lost()]).to.deep.equal([false, [WARNING], '0']);
    await stop();
    expect(clock.waiting()).to.equal(0);
  });

  it('says in the record that it is off, and then that it is on again', async () => {
    const off = start('off');
    await off.clock.advance(0);
    expect(off.recordRead).to.equal(undefined);
    await off.stop();
    const on = start('required', off.record);
    await on.clock.advance(0);
    await on.stop();
    expect(off.record.rows.map(({ operation }) => operation)).to.deep.equal(['recordOff', 'recordOn']);
  });
});
