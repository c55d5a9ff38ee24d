import { expect } from 'chai';
import { type SeenEvent, statesOf } from './states.js';
import { foresees, isAlready, isDoneBy } from './undone.js';

const history = (...events: ReadonlyArray<readonly [name: string, data: object]>) =>
  statesOf(
    events.map(([name, data], revision): SeenEvent => ({
      _id: `event ${revision}`,
      entity: 'r',
      entityType: 'Business',
      name,
      at: `2026-01-01T00:00:0${revision}.000Z`,
      revision,
      hash: '',
      data: { ...data },
    })),
  );

const CREATED = ['BusinessCreated', { name: 'n0', phone: '0' }] as const;
const OWNED = ['BusinessOwnerAdded', { user: 'ann', title: 't' }] as const;
const RENAMED = ['BusinessUpdated', { changes: { name: 'n2', phone: '2' } }] as const;

describe('what is held against an undo', () => {
  it('is the state before the deletion of what was restored', () => {
    const states = history(CREATED, OWNED, ['BusinessDeleted', {}], ['BusinessRestored', {}], ['BusinessRestored', {}]);
    expect(states[4]).to.deep.include({ isThere: true, name: 'n0', note: '0', owners: { ann: 't' } });
    expect(isDoneBy({})(states[4]!, states)).to.equal(true);
    expect(isAlready({})(states[2]!, states)).to.equal(true);
    expect(isAlready({})(states[3]!, states)).to.equal(false);
    // one that is there has nothing to be restored
    expect(isDoneBy({})(states[5]!, states)).to.equal(false);
  });

  it('is the state of the revision that it was reverted to, but for its owners, whatever its event says', () => {
    const back = ['BusinessReverted', { to: 0, changes: { name: 'other', phone: '0' } }] as const;
    const states = history(CREATED, OWNED, RENAMED, back);
    expect(states[4]).to.deep.include({ name: 'n0', note: '0', owners: { ann: 't' } });
    expect(isDoneBy({ to: 0 })(states[4]!, states)).to.equal(true);
    expect(isDoneBy({ to: 2 })(states[4]!, states)).to.equal(false);
    expect(isDoneBy({ to: 0, fields: ['name'] })(states[4]!, states)).to.equal(false);
    expect(isAlready({ to: 1 })(states[4]!, states)).to.equal(true);
  });

  it('is the file of the revision that it was reverted to, with when that was uploaded', () => {
    const [one, other] = [{ sha256: 'a' }, { sha256: 'b' }];
    const states = history(
      ['DocumentCreated', { name: 'n', file: one }],
      ['DocumentUpdated', { changes: { description: 'd' }, file: other }],
      ['DocumentReverted', { to: 0, changes: {}, file: one }],
      ['DocumentDeleted', {}],
    );
    expect(states[3]).to.deep.include({ sha256: 'a', uploadedAt: states[1]?.at, note: 'd', isThere: true });
    expect(isDoneBy({ to: 0, fields: ['file'] })(states[3]!, states)).to.equal(true);
    expect(isDoneBy({ to: 0 })(states[3]!, states)).to.equal(false);
    expect(isDoneBy({ to: 3 })(states[4]!, states)).to.equal(false);
  });

  it('is what a preview has foreseen: each change, no other one, and of this revision', () => {
    const states = history(CREATED, OWNED, RENAMED);
    const now = states[3]!;
    const changes = [
      { path: '/name', before: 'n2', after: 'n0' },
      { path: '/phone', before: '2', after: '0' },
    ];
    const owners = { path: '/owners', before: [{ user: 'ann' }], after: [] };
    const preview = { revision: 0, current: 2, changes, notReverted: [owners] };
    expect(foresees({ to: 0 }, preview)(now, states)).to.equal(true);
    for (const other of [
      { current: 1 },
      { revision: 1 },
      { changes: changes.slice(1) },
      { changes: [...changes, { path: '/owners/ann', before: null, after: { title: 't' } }] },
      { changes: changes.map((change) => ({ ...change, after: 'n1' })) },
      { notReverted: [] },
    ])
      expect(foresees({ to: 0 }, { ...preview, ...other })(now, states), JSON.stringify(other)).to.equal(false);
  });
});
