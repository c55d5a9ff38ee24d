import { expect } from 'chai';
import type { BusinessEvent } from '../../../src/domain/business/events.js';
import {
  type BusinessState,
  evolveBusiness,
  initialBusiness,
  unsetFields,
} from '../../../src/domain/business/state.js';
import {
  aBusinessCreated,
  aBusinessDeleted,
  aBusinessUpdated,
  anOwnerAdded,
  anOwnerRemoved,
  anOwnerUpdated,
} from '../../support/business-events.js';

const fold = (...events: ReadonlyArray<BusinessEvent>): BusinessState =>
  events.reduce<BusinessState>((state, event, revision) => evolveBusiness(state, event, { revision }), initialBusiness);

const created: BusinessEvent = { type: 'BusinessCreated', data: { name: 'Acme', phone: '1', parent: 'p1' } };
const fields = { ...unsetFields, name: 'Acme', phone: '1', parent: 'p1' };
const owned = (...users: ReadonlyArray<string>): ReadonlyArray<BusinessEvent> =>
  users.map((user) => ({ type: 'BusinessOwnerAdded', data: { user, title: null, equity: 1 } }));

describe('the state of a business', () => {
  it('has every field that was never given at null and no owner', () => {
    expect(fold({ type: 'BusinessCreated', data: { name: 'Acme' } })).to.deep.equal({
      _tag: 'Active',
      fields: {
        name: 'Acme',
        displayName: null,
        businessType: null,
        dba: null,
        email: null,
        phone: null,
        website: null,
        netWorth: null,
        revenue: null,
        ein: null,
        parent: null,
        line1: null,
        line2: null,
        city: null,
        state: null,
        zip: null,
        country: null,
      },
      owners: [],
      since: [],
    });
  });

  it('merges changes, null included', () => {
    const changes = { phone: null, netWorth: 0, parent: 'p2' };
    expect(fold(created, { type: 'BusinessUpdated', data: { changes, previousParent: 'p1' } })).to.deep.equal({
      _tag: 'Active',
      fields: { ...fields, phone: null, netWorth: 0, parent: 'p2' },
      owners: [],
      since: [],
    });
  });

  it('keeps owners in the order added, one who was updated in place and one who came back last', () => {
    const state = fold(
      created,
      ...owned('alice', 'bob', 'carol'),
      { type: 'BusinessOwnerUpdated', data: { user: 'bob', title: 'CTO' } },
      { type: 'BusinessOwnerRemoved', data: { user: 'alice' } },
      { type: 'BusinessOwnerAdded', data: { user: 'alice', title: 'CEO', equity: null } },
    );
    expect(state).to.deep.equal({
      _tag: 'Active',
      fields,
      owners: [
        { user: 'bob', title: 'CTO', equity: 1 },
        { user: 'carol', title: null, equity: 1 },
        { user: 'alice', title: 'CEO', equity: null },
      ],
      since: [2, 3, 6],
    });
  });

  it('keeps what it was when it is deleted', () => {
    expect(fold(created, ...owned('alice'), { type: 'BusinessDeleted', data: {} })).to.deep.equal({
      _tag: 'Deleted',
      fields,
      owners: [{ user: 'alice', title: null, equity: 1 }],
      since: [1],
    });
  });

  it('is not touched by events before its creation, after its deletion, or by a second creation', () => {
    expect(fold(...owned('alice'), { type: 'BusinessDeleted', data: {} })).to.equal(initialBusiness);
    const active = fold(created);
    expect(evolveBusiness(active, aBusinessCreated(), { revision: 1 })).to.equal(active);
    const deleted = fold(created, ...owned('alice'), { type: 'BusinessDeleted', data: {} });
    for (const event of [
      aBusinessCreated(),
      aBusinessUpdated(),
      aBusinessDeleted(),
      anOwnerAdded(),
      anOwnerUpdated({ user: 'alice' }),
      anOwnerRemoved({ user: 'alice' }),
    ])
      expect(evolveBusiness(deleted, event, { revision: 3 })).to.equal(deleted);
  });
});
