import { expect } from 'chai';
import { BusinessEvent } from '../../../src/domain/business/events.js';

const unreadable: ReadonlyArray<readonly [what: string, type: string, data: object]> = [
  ['a creation without a name', 'BusinessCreated', { phone: '1' }],
  ['a previous parent that is no text', 'BusinessUpdated', { changes: {}, previousParent: 1 }],
  ['a new owner without a user', 'BusinessOwnerAdded', { title: null, equity: null }],
  ['a new owner whose title is not said', 'BusinessOwnerAdded', { user: 'bob', equity: null }],
  ['a new owner whose equity is no number', 'BusinessOwnerAdded', { user: 'bob', title: null, equity: '1' }],
  ['a changed owner without a user', 'BusinessOwnerUpdated', { title: 'CEO' }],
  ['a title that is no text', 'BusinessOwnerUpdated', { user: 'bob', title: 1 }],
  ['an equity that is no number', 'BusinessOwnerUpdated', { user: 'bob', equity: '1' }],
  ['a removed owner without a user', 'BusinessOwnerRemoved', {}],
];

describe('the events of a business as they are stored', () => {
  for (const [what, type, data] of unreadable)
    it(`are none of a business with ${what}`, () => {
      expect(BusinessEvent.is({ type, data })).to.equal(false);
    });

  it('are its events otherwise', () => {
    const owner = { user: 'bob', title: null, equity: 1 };
    for (const event of [
      { type: 'BusinessCreated', data: { name: 'a' } },
      { type: 'BusinessUpdated', data: { changes: { phone: '1' }, previousParent: null } },
      { type: 'BusinessDeleted', data: {} },
      { type: 'BusinessOwnerAdded', data: owner },
      { type: 'BusinessOwnerUpdated', data: { user: 'bob', title: 'CEO' } },
      { type: 'BusinessOwnerRemoved', data: { user: 'bob' } },
    ])
      expect(BusinessEvent.is(event), event.type).to.equal(true);
  });
});
