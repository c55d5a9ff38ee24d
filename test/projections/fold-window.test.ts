import { expect } from 'chai';
import { businesses } from '../../projections/businesses.js';
import { foldStream } from '../../projections/engine/rows/fold-stream.js';
import { type FoldedWindow, foldWindows } from '../../projections/engine/verify/fold-window.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { append, created, renamed } from './appending.js';

const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const COUNT = 60;

describe('folding a log window by window', () => {
  const windowsOf = async (store: Parameters<typeof foldWindows>[0], bytes: number, signal: AbortSignal) => {
    const windows: Array<FoldedWindow> = [];
    for await (const window of foldWindows(store, businesses, signal, bytes)) windows.push(window);
    return windows;
  };

  it('folds every entity once and as its stream does, and holds few of them at a time', async () => {
    const store = makeInMemoryEventStore();
    // in no order, and the events of each far from each other
    const order = Array.from({ length: COUNT }, (_, index) => (index * 37) % COUNT);
    for (const number of order) await append(store, `business-${idOf(number)}`, 0n, created(`No ${number}`));
    await append(store, 'business-not-a-uuid', 0n, created('without a row'));
    for (const number of order) await append(store, `business-${idOf(number)}`, 1n, renamed(`New ${number}`));

    const windows = await windowsOf(store, 8_000, new AbortController().signal);
    expect(windows.length).to.be.greaterThan(2);
    expect(Math.max(...windows.map(({ entities }) => entities.size))).to.be.lessThan(COUNT / 2);
    expect(windows.map(({ from }) => from).slice(1)).to.deep.equal(windows.map(({ before }) => before).slice(0, -1));
    for (const { from, before, entities } of windows)
      for (const id of entities.keys())
        expect((from === undefined || id >= from) && (before === undefined || id < before)).to.equal(true);
    const all = new Map(windows.flatMap(({ entities }) => [...entities]));
    expect([...all.keys()].sort()).to.deep.equal(order.map(idOf).sort());
    for (const [id, entity] of all)
      expect(entity).to.deep.equal((await foldStream(businesses, store, `business-${id}`, 2n ** 62n))?.entity);
  });

  it('holds one entity at least, however large it is, and stops when it is told to', async () => {
    const store = makeInMemoryEventStore();
    for (const number of [0, 1]) await append(store, `business-${idOf(number)}`, 0n, created('large'));
    const windows = await windowsOf(store, 1, new AbortController().signal);
    expect(windows.map(({ entities }) => [...entities.keys()])).to.deep.equal([[idOf(0)], [idOf(1)]]);
    expect(await windowsOf(store, 1, AbortSignal.abort())).to.deep.equal([]);
  });
});
