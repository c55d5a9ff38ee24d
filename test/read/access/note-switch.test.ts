import { expect } from 'chai';
import { noteSwitch, RECORD_OFF, RECORD_ON } from '../../../src/read/access/note-switch.js';
import type { AccessEvent } from '../../../src/read/access/read-writer.js';
import { makeManualClock } from '../../support/manual-clock.js';
import { makeMemoryAccessRecord } from '../../support/memory-access-record.js';

describe('the switches of the record of reads', () => {
  const never = new AbortController().signal;

  it('are rows of it: that it is off at each start without it, that it is on at the first start after that', async () => {
    const clock = makeManualClock();
    const record = makeMemoryAccessRecord();
    for (const isOn of [true, false, false, true, true, false, true]) {
      const noting = noteSwitch(clock, record, isOn, never, () => undefined);
      await clock.advance(0);
      await noting;
    }
    const said = record.rows.map(({ operation }) => operation);
    expect(said).to.deep.equal([RECORD_OFF, RECORD_OFF, RECORD_ON, RECORD_OFF, RECORD_ON]);
    expect(record.rows.every(({ user, form }) => user === 'service' && form === '')).to.equal(true);
    expect(clock.waiting()).to.equal(0);
  });

  it('are tried again while the database is away, until the service stops', async () => {
    const clock = makeManualClock();
    const record = makeMemoryAccessRecord();
    const database = { isThere: false };
    const add: typeof record.add = (reads) =>
      database.isThere ? record.add(reads) : Promise.reject(new Error('away'));
    const told: Array<string> = [];
    const tell = ({ _tag }: AccessEvent): void => void told.push(_tag);
    const noting = noteSwitch(clock, { ...record, add }, false, never, tell);
    await clock.advance(3_000);
    expect(record.rows).to.have.length(0);
    database.isThere = true;
    await clock.advance(1_000);
    await noting;
    expect(record.rows).to.have.length(1);
    expect([...new Set(told)]).to.deep.equal(['NotWritten', 'WrittenAgain']);

    const leaving = new AbortController();
    database.isThere = false;
    const second = noteSwitch(clock, { ...record, add }, false, leaving.signal, () => undefined);
    await clock.advance(3_000);
    leaving.abort();
    await second;
    expect([record.rows.length, clock.waiting()]).to.deep.equal([1, 0]);
  });
});
