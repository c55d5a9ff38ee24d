import { expect } from 'chai';
import { makeCoalescedRows } from '../../src/postgres/coalesced-rows.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

type Call = { readonly ids: ReadonlyArray<string>; readonly answer: (rows: ReadonlyArray<string>) => void };

const upTo = async (calls: ReadonlyArray<unknown>, count: number): Promise<void> => {
  while (calls.length < count) await new Promise((resolve) => setImmediate(resolve));
};

describe('coalesced rows', () => {
  let calls: Array<Call>;
  let read: (id: string) => Promise<string | undefined>;

  beforeEach(() => {
    calls = [];
    read = makeCoalescedRows(
      systemRuntime.clock,
      (ids) =>
        new Promise((resolve) => {
          calls.push({ ids, answer: (rows) => resolve(new Map(rows.map((id) => [id, `row ${id}`]))) });
        }),
    );
  });

  it('asks once for all who ask at once, and once for each id', async () => {
    const asked = Promise.all(['a', 'b', 'a', 'c'].map(read));
    await upTo(calls, 1);
    expect(calls.map(({ ids }) => ids)).to.deep.equal([['a', 'b', 'c']]);
    calls[0]!.answer(['a', 'b']);
    expect(await asked).to.deep.equal(['row a', 'row b', 'row a', undefined]);
  });

  it('joins nobody to a query that has been sent, and has two of them under way at most', async () => {
    const first = read('a');
    await upTo(calls, 1);
    const second = read('a');
    await upTo(calls, 2);
    const third = Promise.all([read('a'), read('b')]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls.map(({ ids }) => ids)).to.deep.equal([['a'], ['a']]);
    calls[1]!.answer(['a']);
    expect(await second).to.equal('row a');
    await upTo(calls, 3);
    expect(calls[2]!.ids).to.deep.equal(['a', 'b']);
    calls[2]!.answer(['b']);
    calls[0]!.answer([]);
    expect(await third).to.deep.equal([undefined, 'row b']);
    expect(await first).to.equal(undefined);
  });

  it('asks for a bounded number of rows at a time', async () => {
    const asked = Promise.all(Array.from({ length: 240 }, (_, i) => read(String(i))));
    await upTo(calls, 2);
    for (const { ids, answer } of calls) answer(ids);
    await upTo(calls, 3);
    calls[2]!.answer(calls[2]!.ids);
    expect(calls.map(({ ids }) => ids.length)).to.deep.equal([100, 100, 40]);
    expect((await asked).at(-1)).to.equal('row 239');
  });

  it('fails those who wait with a query that fails, without asking for them', async () => {
    const fails: Array<() => void> = [];
    const silent = makeCoalescedRows(
      systemRuntime.clock,
      () => new Promise<ReadonlyMap<string, string>>((_, reject) => fails.push(() => reject(new Error('silent')))),
    );
    const sent = [silent('a')];
    await upTo(fails, 1);
    sent.push(silent('b'));
    await upTo(fails, 2);
    sent.push(silent('c'));
    fails[0]!();
    fails[1]!();
    const outcomes = await Promise.allSettled(sent);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'rejected']);
    expect(fails).to.have.length(2);
  });

  it('fails all who asked when the query fails, and goes on', async () => {
    let isDown = true;
    const flaky = makeCoalescedRows(systemRuntime.clock, (ids) =>
      isDown ? Promise.reject(new Error('down')) : Promise.resolve(new Map(ids.map((id) => [id, id]))),
    );
    const outcomes = await Promise.allSettled([flaky('a'), flaky('b')]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    isDown = false;
    expect(await flaky('a')).to.equal('a');
  });
});
