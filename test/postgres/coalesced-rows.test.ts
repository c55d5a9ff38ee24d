import { expect } from 'chai';
import { makeCoalescedRows } from '../../src/postgres/coalesced-rows.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

type Call = { readonly ids: ReadonlyArray<string>; readonly answer: (rows: ReadonlyArray<string>) => void };

const TURNS = 5;

/** What is asked without an answer is asked within a few turns of the event loop. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

const upTo = async (calls: ReadonlyArray<unknown>, count: number): Promise<void> => {
  await turns();
  expect(calls).to.have.length(count);
};

/** What it has come to by now. */
const byNow = async <A>(awaited: Promise<A>): Promise<A | 'it waits'> => {
  let outcome: A | 'it waits' = 'it waits';
  void awaited.then((given) => (outcome = given));
  await turns();
  return outcome;
};

const statuses = (...sent: ReadonlyArray<Promise<unknown>>): Promise<ReadonlyArray<string> | 'it waits'> =>
  byNow(Promise.allSettled(sent).then((outcomes) => outcomes.map(({ status }) => status)));

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
    expect(await byNow(asked)).to.deep.equal(['row a', 'row b', 'row a', undefined]);
  });

  it('joins nobody to a query that has been sent, and has two of them under way at most', async () => {
    const first = read('a');
    await upTo(calls, 1);
    const second = read('a');
    await upTo(calls, 2);
    const third = Promise.all([read('a'), read('b')]);
    await turns();
    expect(calls.map(({ ids }) => ids)).to.deep.equal([['a'], ['a']]);
    calls[1]!.answer(['a']);
    expect(await byNow(second)).to.equal('row a');
    await upTo(calls, 3);
    expect(calls[2]!.ids).to.deep.equal(['a', 'b']);
    calls[2]!.answer(['b']);
    calls[0]!.answer([]);
    expect(await byNow(third)).to.deep.equal([undefined, 'row b']);
    expect(await byNow(first)).to.equal(undefined);
  });

  it('asks for a bounded number of rows at a time', async () => {
    const asked = Promise.all(Array.from({ length: 240 }, (_, i) => read(String(i))));
    await upTo(calls, 2);
    for (const { ids, answer } of calls) answer(ids);
    await upTo(calls, 3);
    calls[2]!.answer(calls[2]!.ids);
    expect(calls.map(({ ids }) => ids.length)).to.deep.equal([100, 100, 40]);
    expect((await byNow(asked)).at(-1)).to.equal('row 239');
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
    expect(await statuses(...sent)).to.deep.equal(['rejected', 'rejected', 'rejected']);
    expect(fails).to.have.length(2);
  });

  it('fails all who asked when the query fails, and goes on', async () => {
    let isDown = true;
    const flaky = makeCoalescedRows(systemRuntime.clock, (ids) =>
      isDown ? Promise.reject(new Error('down')) : Promise.resolve(new Map(ids.map((id) => [id, id]))),
    );
    expect(await statuses(flaky('a'), flaky('b'))).to.deep.equal(['rejected', 'rejected']);
    isDown = false;
    expect(await byNow(flaky('a'))).to.equal('a');
  });
});
