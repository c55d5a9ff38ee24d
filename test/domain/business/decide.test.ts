import type { BusinessCommand } from '../../../src/domain/business/commands.js';
import { businessDecider } from '../../../src/domain/business/decide.js';
import type { BusinessEvent } from '../../../src/domain/business/events.js';
import {
  aBusinessCreated,
  aBusinessDeleted,
  anOwnerAdded,
  anOwnerRemoved,
  anOwnerUpdated,
} from '../../support/business-events.js';
import { given } from '../../support/given.js';

const givenBusiness = given(businessDecider);

const created: BusinessEvent = { type: 'BusinessCreated', data: { name: 'Ω & Söhne', phone: '1', parent: 'p1' } };
const alice = { user: 'alice', title: 'CEO', equity: 60 };

const create = (fields: object = {}): BusinessCommand => ({
  _tag: 'CreateBusiness',
  businessId: 'b1',
  fields: { name: 'Ω & Söhne', ...fields },
});
const update = (changes: object): BusinessCommand => ({ _tag: 'UpdateBusiness', businessId: 'b1', changes });
const remove: BusinessCommand = { _tag: 'DeleteBusiness' };
const restore: BusinessCommand = { _tag: 'RestoreBusiness' };
const revert = (fields: object): BusinessCommand => ({ _tag: 'RevertBusiness', to: 0, fields });
const addOwner = (owner: object = {}): BusinessCommand => ({ _tag: 'AddOwner', owner: { ...alice, ...owner } });
const updateOwner = (changes: object): BusinessCommand => ({ _tag: 'UpdateOwner', user: 'alice', changes });
const removeOwner: BusinessCommand = { _tag: 'RemoveOwner', user: 'alice' };

const onlyOnActive = {
  'an update': update({ phone: '2' }),
  'an update that changes nothing': update({}),
  'an update that names itself as parent': update({ parent: 'b1' }),
  'a deletion': remove,
  'a revert': revert({ phone: '2' }),
  'a revert that changes nothing': revert({}),
  'a new owner': addOwner(),
  'an owner update': updateOwner({ title: 'CTO' }),
  'an owner removal': removeOwner,
};

describe('deciding on a business', () => {
  describe('to create it', () => {
    it('records its fields', () => {
      givenBusiness()
        .when(create({ netWorth: 0, revenue: -1.5, city: 'Łódź' }))
        .thenEvents({ type: 'BusinessCreated', data: { name: 'Ω & Söhne', netWorth: 0, revenue: -1.5, city: 'Łódź' } });
    });

    it('records neither what is null nor what is undefined', () => {
      givenBusiness()
        .when(create({ phone: null, revenue: null, parent: null, dba: undefined, ein: '12' }))
        .thenEvents({ type: 'BusinessCreated', data: { name: 'Ω & Söhne', ein: '12' } });
    });

    it('takes a parent that need not exist', () => {
      givenBusiness()
        .when(create({ parent: 'nobody' }))
        .thenEvents({ type: 'BusinessCreated', data: { name: 'Ω & Söhne', parent: 'nobody' } });
    });

    it('refuses that it is its own parent', () => {
      givenBusiness()
        .when(create({ parent: 'b1' }))
        .thenRejected({ _tag: 'BusinessIsItsOwnParent' });
    });

    it('refuses a second time, also after it was deleted', () => {
      givenBusiness(created).when(create()).thenRejected({ _tag: 'BusinessAlreadyExists' });
      givenBusiness(created, aBusinessDeleted()).when(create()).thenRejected({ _tag: 'BusinessAlreadyExists' });
    });
  });

  for (const [name, command] of Object.entries(onlyOnActive)) {
    it(`refuses ${name} before it was created`, () => {
      givenBusiness().when(command).thenRejected({ _tag: 'BusinessNotFound' });
    });

    it(`refuses ${name} after it was deleted`, () => {
      givenBusiness(created, anOwnerAdded({ user: 'alice' }), aBusinessDeleted())
        .when(command)
        .thenRejected({ _tag: 'BusinessNotFound' });
    });
  }

  describe('to update it', () => {
    it('records those of the given fields that differ, and keeps the absent ones', () => {
      givenBusiness(created)
        .when(update({ name: 'New', phone: '1', city: 'Łódź', revenue: 0 }))
        .thenEvents({ type: 'BusinessUpdated', data: { changes: { name: 'New', city: 'Łódź', revenue: 0 } } });
    });

    it('clears what is null', () => {
      givenBusiness(created)
        .when(update({ phone: null }))
        .thenEvents({ type: 'BusinessUpdated', data: { changes: { phone: null } } });
    });

    it('finds nothing to do when every field is as wanted, absent or undefined', () => {
      givenBusiness(created)
        .when(update({ name: 'Ω & Söhne', phone: '1', parent: 'p1', city: null, dba: undefined }))
        .thenNothing();
      givenBusiness(created).when(update({})).thenNothing();
    });

    it('tells texts apart that only look the same', () => {
      givenBusiness({ type: 'BusinessCreated', data: { name: '\u00e9' } })
        .when(update({ name: 'e\u0301' }))
        .thenEvents({ type: 'BusinessUpdated', data: { changes: { name: 'e\u0301' } } });
    });

    it('names the parent it had when the parent changes', () => {
      givenBusiness(created)
        .when(update({ parent: 'p2' }))
        .thenEvents({ type: 'BusinessUpdated', data: { changes: { parent: 'p2' }, previousParent: 'p1' } });
      givenBusiness(created)
        .when(update({ parent: null }))
        .thenEvents({ type: 'BusinessUpdated', data: { changes: { parent: null }, previousParent: 'p1' } });
      givenBusiness(aBusinessCreated({ parent: null }))
        .when(update({ parent: 'p1' }))
        .thenEvents({ type: 'BusinessUpdated', data: { changes: { parent: 'p1' }, previousParent: null } });
    });

    it('names no former parent when the parent stays', () => {
      givenBusiness(created)
        .when(update({ parent: 'p1', phone: '2' }))
        .thenEvents({ type: 'BusinessUpdated', data: { changes: { phone: '2' } } });
    });

    it('refuses that it becomes its own parent', () => {
      givenBusiness(created)
        .when(update({ parent: 'b1', phone: '2' }))
        .thenRejected({ _tag: 'BusinessIsItsOwnParent' });
    });
  });

  it('records a deletion', () => {
    givenBusiness(created).when(remove).thenEvents({ type: 'BusinessDeleted', data: {} });
  });

  describe('to restore it', () => {
    const restored: BusinessEvent = { type: 'BusinessRestored', data: {} };

    it('records it of a deleted one, each time', () => {
      givenBusiness(created, aBusinessDeleted()).when(restore).thenEvents(restored);
      givenBusiness(created, aBusinessDeleted(), restored, aBusinessDeleted()).when(restore).thenEvents(restored);
    });

    it('finds nothing to do where it is not deleted', () => {
      givenBusiness(created).when(restore).thenNothing();
      givenBusiness(created, aBusinessDeleted(), restored).when(restore).thenNothing();
    });

    it('refuses before it was created', () => {
      givenBusiness().when(restore).thenRejected({ _tag: 'BusinessNotFound' });
    });

    it('lets it be created no second time, and be changed again', () => {
      givenBusiness(created, aBusinessDeleted(), restored)
        .when(create())
        .thenRejected({ _tag: 'BusinessAlreadyExists' });
      givenBusiness(created, aBusinessDeleted(), restored)
        .when(update({ phone: '2' }))
        .thenEvents({ type: 'BusinessUpdated', data: { changes: { phone: '2' } } });
    });
  });

  describe('to revert it', () => {
    it('records the revision, and those of its values that differ', () => {
      givenBusiness(created)
        .when(revert({ name: 'Ω & Söhne', phone: null, city: 'Ulm', dba: null }))
        .thenEvents({ type: 'BusinessReverted', data: { to: 0, changes: { phone: null, city: 'Ulm' } } });
    });

    it('names the parent it had when that changes', () => {
      givenBusiness(created)
        .when(revert({ parent: null }))
        .thenEvents({ type: 'BusinessReverted', data: { to: 0, changes: { parent: null }, previousParent: 'p1' } });
    });

    it('finds nothing to do when all is as it was', () => {
      givenBusiness(created)
        .when(revert({ phone: '1', parent: 'p1', city: null }))
        .thenNothing();
    });
  });

  describe('on its owners', () => {
    it('records a new owner', () => {
      givenBusiness(created)
        .when(addOwner({ title: null, equity: null }))
        .thenEvents({ type: 'BusinessOwnerAdded', data: { user: 'alice', title: null, equity: null } });
    });

    it('takes a second owner', () => {
      givenBusiness(created, anOwnerAdded({ user: 'bob' }))
        .when(addOwner())
        .thenEvents({ type: 'BusinessOwnerAdded', data: alice });
    });

    it('refuses the same user twice, whatever the title', () => {
      givenBusiness(created, anOwnerAdded({ user: 'alice' }))
        .when(addOwner({ title: 'someone else' }))
        .thenRejected({ _tag: 'OwnerAlreadyAdded' });
    });

    it('takes 10,000 owners and no more, until one is removed', () => {
      const owners = Array.from({ length: 10_000 }, (_, index) => anOwnerAdded({ user: `user ${index}`, title: null }));
      givenBusiness(created, ...owners.slice(1))
        .when(addOwner())
        .thenEvents({ type: 'BusinessOwnerAdded', data: alice });
      givenBusiness(created, ...owners)
        .when(addOwner())
        .thenRejected({ _tag: 'TooManyOwners' });
      givenBusiness(created, ...owners, anOwnerRemoved({ user: 'user 7' }))
        .when(addOwner())
        .thenEvents({ type: 'BusinessOwnerAdded', data: alice });
    });

    it('takes users and titles of 1,048,576 characters together, and no longer ones', () => {
      const long = (user: string, length: number) => anOwnerAdded({ user, title: 'x'.repeat(length - user.length) });
      const history = [created, long('bob', 1_048_000), long('alice', 500)];
      const add = (length: number) => addOwner({ user: 'carol', title: 'x'.repeat(length - 5) });
      givenBusiness(...history)
        .when(add(76))
        .thenEvents({ type: 'BusinessOwnerAdded', data: { ...alice, user: 'carol', title: 'x'.repeat(71) } });
      givenBusiness(...history)
        .when(add(77))
        .thenRejected({ _tag: 'OwnersTooLong' });
      givenBusiness(...history)
        .when(updateOwner({ title: 'x'.repeat(571) }))
        .thenEvents({ type: 'BusinessOwnerUpdated', data: { user: 'alice', title: 'x'.repeat(571) } });
      givenBusiness(...history)
        .when(updateOwner({ title: 'x'.repeat(572) }))
        .thenRejected({ _tag: 'OwnersTooLong' });
      givenBusiness(...history)
        .when(updateOwner({ title: null }))
        .thenEvents({ type: 'BusinessOwnerUpdated', data: { user: 'alice', title: null } });
    });

    it('takes a title that is no longer than before, also where owners are too long together', () => {
      const long = anOwnerAdded({ user: 'bob', title: 'x'.repeat(1_048_576) });
      const history = [created, long, anOwnerAdded({ user: 'alice', title: 'CTO' })];
      for (const title of ['CEO', 'MD'])
        givenBusiness(...history)
          .when(updateOwner({ title }))
          .thenEvents({ type: 'BusinessOwnerUpdated', data: { user: 'alice', title } });
      givenBusiness(...history)
        .when(updateOwner({ title: 'Boss' }))
        .thenRejected({ _tag: 'OwnersTooLong' });
    });

    it('takes an owner again that was removed', () => {
      givenBusiness(created, anOwnerAdded({ user: 'alice' }), anOwnerRemoved({ user: 'alice' }))
        .when(addOwner())
        .thenEvents({ type: 'BusinessOwnerAdded', data: alice });
    });

    it('records what changes of an owner', () => {
      givenBusiness(created, { type: 'BusinessOwnerAdded', data: alice })
        .when(updateOwner({ title: 'CEO', equity: 50 }))
        .thenEvents({ type: 'BusinessOwnerUpdated', data: { user: 'alice', equity: 50 } });
    });

    it('clears what is null of an owner', () => {
      givenBusiness(created, { type: 'BusinessOwnerAdded', data: alice })
        .when(updateOwner({ title: null, equity: null }))
        .thenEvents({ type: 'BusinessOwnerUpdated', data: { user: 'alice', title: null, equity: null } });
    });

    it('finds nothing to do when the owner is as wanted', () => {
      const history = [created, anOwnerAdded(alice), anOwnerUpdated({ user: 'alice', title: 'CTO', equity: 1 })];
      givenBusiness(...history)
        .when(updateOwner({ title: 'CTO', equity: 1 }))
        .thenNothing();
      givenBusiness(...history)
        .when(updateOwner({ title: undefined }))
        .thenNothing();
    });

    it('records the removal of an owner', () => {
      givenBusiness(created, anOwnerAdded({ user: 'alice' }), anOwnerAdded({ user: 'bob' }))
        .when(removeOwner)
        .thenEvents({ type: 'BusinessOwnerRemoved', data: { user: 'alice' } });
    });

    it('refuses to update or remove an owner it does not have', () => {
      const history = [created, anOwnerAdded({ user: 'alice' }), anOwnerRemoved({ user: 'alice' })];
      givenBusiness(...history)
        .when(updateOwner({ title: 'CTO' }))
        .thenRejected({ _tag: 'OwnerNotFound' });
      givenBusiness(...history)
        .when(updateOwner({}))
        .thenRejected({ _tag: 'OwnerNotFound' });
      givenBusiness(...history)
        .when(removeOwner)
        .thenRejected({ _tag: 'OwnerNotFound' });
    });
  });
});
