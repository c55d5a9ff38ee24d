import { expect } from 'chai';
import type { BatchOfChange } from '../../../projections/engine/storage.js';
import { compare } from './compared.js';
import { aLedger, creation, filled, ledgerBatch, rowsFor, whatIsInLedger } from './ledger-under-test.js';
import { aWriter, type PlaceUnderTest, stepTo } from './storage-under-test.js';

export const comparingLedgers = (place: PlaceUnderTest): void => {
  it('compares them by the places of their rows', async () => {
    const projection = aLedger();
    const live = await aWriter(place(), projection, { holder: 'two' });
    const rebuilt = await aWriter(place(), projection, { role: 'building', isRebuild: true });
    const rows = rowsFor(
      projection,
      Array.from({ length: 11 }, () => creation()),
    );
    await filled(place(), live, stepTo(9n), rows);
    const others = rows.slice(0, 10).map((row, at) => {
      if (at === 1) return { ...row, name: 'Another', fields: ['x'], at: null };
      return at === 2 ? { ...row, leaf: Buffer.alloc(32, 1), isLate: true, reason: 'why' } : row;
    });
    const { edge, ...batch } = ledgerBatch(others.slice(9), ledgerBatch(others.slice(0, 9)).edge);
    expect(edge.size).to.equal(10);
    await filled(place(), rebuilt, stepTo(5n), others.slice(0, 9));
    const write: BatchOfChange = { rowFor: 'event', writer: rebuilt, step: stepTo(9n, 5n), batch };
    const { compared, called } = await compare(place().one, rebuilt, { write });
    expect(compared).to.deep.equal({
      rows: { live: 11, rebuilt: 10 },
      ...{ onlyLive: 1, onlyRebuilt: 0, differing: 2, first: called },
    });
    expect(called.map((one) => [one.id, one._tag, one._tag === 'Differs' && one.fields])).to.deep.equal([
      ['1', 'Differs', ['name', 'at', 'fields']],
      ['2', 'Differs', ['is_late', 'reason_words', 'leaf']],
      ['10', 'OnlyLive', false],
    ]);
    expect((await whatIsInLedger(place().one, rebuilt)).leaves).to.have.length(10);
  });
};
