import { expect } from 'chai';
import type { Read } from '../../../src/read/access/access-record.js';
import { makeQueuedReads } from '../../../src/read/access/queued-reads.js';
import type { AccessEvent } from '../../../src/read/access/read-writer.js';
import { makeManualClock } from '../../support/manual-clock.js';
import { aRead } from '../../support/reads.js';

/** A record that takes rows while `isThere`. */
const recording = () => {
  const clock = makeManualClock();
  const batches: Array<ReadonlyArray<Read>> = [];
  const events: Array<AccessEvent> = [];
  const database = { isThere: true };
  const add = (reads: ReadonlyArray<Read>): Promise<void> => {
    if (!database.isThere) return Promise.reject(new Error('away'));
    batches.push(reads);
    return Promise.resolve();
  };
  const writer = makeQueuedReads(clock, { add }, (event) => events.push(event));
  const write = (count: number, given: Partial<Read> = {}): void => {
    for (let i = 0; i < count; i += 1) expect(writer.write(aRead(given), Infinity)).to.equal(undefined);
  };
  return { clock, writer, batches, events, database, write, sizes: () => batches.map(({ length }) => length) };
};

describe('reads that are recorded behind their answers', () => {
  it('are written together, a quarter of a second after the first of them', async () => {
    const { clock, write, sizes } = recording();
    write(3);
    await clock.advance(249);
    expect(sizes()).to.deep.equal([]);
    await clock.advance(1);
    expect(sizes()).to.deep.equal([3]);
    expect(clock.waiting()).to.equal(0);
  });

  it('are written at once where there are 200, and the rest in its time', async () => {
    const { clock, write, sizes } = recording();
    write(450);
    await clock.advance(0);
    expect(sizes()).to.deep.equal([200, 200]);
    await clock.advance(250);
    expect(sizes()).to.deep.equal([200, 200, 50]);
  });

  it('are written when the service stops', async () => {
    const { writer, write, sizes } = recording();
    write(450);
    await writer.stop();
    expect(sizes()).to.deep.equal([200, 200, 50]);
    expect(writer.lost()).to.equal(0);
  });

  it('are held while the database is away, in their order and no more than 10,000, and then are lost and counted', async () => {
    const { clock, writer, write, batches, events, database } = recording();
    database.isThere = false;
    for (let i = 0; i < 10_003; i += 1) write(1, { what: String(i) });
    await clock.advance(5_000);
    expect([writer.lost(), writer.isFailing()]).to.deep.equal([3, true]);
    database.isThere = true;
    await clock.advance(5_000);
    expect(batches.flat().map(({ what }) => what)).to.deep.equal(Array.from({ length: 10_000 }, (_, i) => String(i)));
    expect([writer.lost(), writer.isFailing()]).to.deep.equal([3, false]);
    expect(events.filter(({ _tag: tag }) => tag === 'Lost')).to.have.length(3);
    expect(events.at(-1)).to.deep.equal({ _tag: 'WrittenAgain' });
    expect(clock.waiting()).to.equal(0);
  });

  it('are lost and counted where the database is away when the service stops, which waits for one attempt alone', async () => {
    const { clock, writer, write, database } = recording();
    database.isThere = false;
    write(3);
    await writer.stop();
    expect(writer.lost()).to.equal(3);
    write(1);
    expect(writer.lost()).to.equal(4);
    expect(clock.waiting()).to.equal(0);
  });

  it('are one row where the same feed is opened again and again, but not beyond the row that is being written', async () => {
    const { clock, batches, write } = recording();
    write(3, { form: 'feed', what: 'user', requestId: 'first' });
    write(1, { form: 'feed', what: 'user', user: 'bob' });
    write(2, { what: 'limit=1' });
    await clock.advance(250);
    write(1, { form: 'feed', what: 'user' });
    await clock.advance(250);
    expect(batches.map((batch) => batch.map(({ what }) => what))).to.deep.equal([
      ['user×3', 'user', 'limit=1', 'limit=1'],
      ['user'],
    ]);
    expect(batches[0]?.[0]?.requestId).to.equal('first');
  });
});
