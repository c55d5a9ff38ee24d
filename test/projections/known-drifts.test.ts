import { expect } from 'chai';
import type { Drift } from '../../projections/engine/verify/find-drift.js';
import { makeKnownDrifts } from '../../projections/engine/verify/known-drifts.js';

describe('rows that are known to differ', () => {
  let told: Array<string>;
  let known: ReturnType<typeof makeKnownDrifts>;

  beforeEach(() => {
    told = [];
    known = makeKnownDrifts({
      onDrift: ({ projection, id, kind, fields }) => told.push(`${projection} ${id} ${kind} ${fields.join()}`),
      onGone: ({ projection, id }) => told.push(`${projection} ${id} is gone`),
    });
  });

  const differs = (id: string, ...fields: ReadonlyArray<string>): Drift => ({
    ...{ stream: `business-${id}`, id, kind: 'differs', fields },
  });

  const ahead = (id: string, shown: bigint): Drift => ({
    ...{ stream: `business-${id}`, id, kind: 'ahead', fields: [], shown, newest: 1n },
  });

  const note = (id: string, drift: Drift | undefined, projection = 'businesses'): void =>
    known.note(projection, id, drift);

  it('are told once, and again when other fields of them differ', () => {
    for (const drift of [differs('a', 'name'), differs('a', 'name'), differs('a', 'name', 'place'), undefined])
      note('a', drift);
    expect(told).to.deep.equal([
      'businesses a differs name',
      'businesses a differs name,place',
      'businesses a is gone',
    ]);
  });

  it('are told again when they differ again as they did before they were repaired', () => {
    for (const drift of [differs('a', 'name'), undefined, undefined, differs('a', 'name')]) note('a', drift);
    expect(told).to.deep.equal(['businesses a differs name', 'businesses a is gone', 'businesses a differs name']);
    expect([known.count('businesses'), known.all().length]).to.deep.equal([1, 1]);
  });

  it('are told again when they show other events that are not in the log', () => {
    for (const shown of [3n, 3n, 4n]) note('a', ahead('a', shown));
    expect(told).to.deep.equal(['businesses a ahead ', 'businesses a ahead ']);
  });

  it('are counted by read model, without those that are ahead of the log, and forgotten by it', () => {
    note('a', differs('a', 'name'));
    note('b', ahead('b', 3n));
    note('a', differs('a', 'name'), 'documents');
    expect([known.count('businesses'), known.count('documents'), known.all().length]).to.deep.equal([1, 1, 3]);
    known.forget('businesses');
    expect([known.count('businesses'), known.count('documents'), known.all().length]).to.deep.equal([0, 1, 1]);
  });

  it('are a thousand at most; one that is known is still told when it changes', () => {
    for (let index = 0; index <= 1_000; index += 1) note(String(index), differs(String(index), 'name'));
    expect([told.length, known.count('businesses')]).to.deep.equal([1_000, 1_000]);
    note('0', differs('0', 'place'));
    note('1', undefined);
    note('1000', differs('1000', 'name'));
    expect(told.slice(1_000)).to.deep.equal([
      'businesses 0 differs place',
      'businesses 1 is gone',
      'businesses 1000 differs name',
    ]);
  });
});
