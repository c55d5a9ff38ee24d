import { either as E } from 'fp-ts';
import { changesTo, isEmpty } from '../shared/changes.js';
import type { Decider } from '../../event-sourcing/decider.js';
import type {
  AddOwner,
  BusinessCommand,
  CreateBusiness,
  RemoveOwner,
  RevertBusiness,
  UpdateBusiness,
  UpdateOwner,
} from './commands.js';
import type { BusinessChanges, BusinessEvent } from './events.js';
import { isTooLong, MAX_OWNERS } from './owner-limits.js';
import type { BusinessRejection } from './rejections.js';
import { type Business, type BusinessState, evolveBusiness, initialBusiness, unsetFields } from './state.js';

type Decision = E.Either<BusinessRejection, ReadonlyArray<BusinessEvent>>;

const reject = (_tag: BusinessRejection['_tag']): Decision => E.left({ _tag });
const record = (event: BusinessEvent): Decision => E.right([event]);
const nothingToDo: Decision = E.right([]);

const create = ({ businessId, fields: { name, ...others } }: CreateBusiness): Decision =>
  others.parent === businessId
    ? reject('BusinessIsItsOwnParent')
    : record({ type: 'BusinessCreated', data: { name, ...changesTo(unsetFields, others) } });

/** Those of the wanted fields that differ, and the parent that it had if that is one of them. */
const changesOf = ({ fields }: Business, wanted: BusinessChanges) => {
  const changes = changesTo(fields, wanted);
  return changes.parent === undefined ? { changes } : { changes, previousParent: fields.parent };
};

const update = ({ businessId, changes: wanted }: UpdateBusiness, business: Business): Decision => {
  if (wanted.parent === businessId) return reject('BusinessIsItsOwnParent');
  const data = changesOf(business, wanted);
  return isEmpty(data.changes) ? nothingToDo : record({ type: 'BusinessUpdated', data });
};

const revert = ({ to, fields: wanted }: RevertBusiness, business: Business): Decision => {
  const data = changesOf(business, wanted);
  return isEmpty(data.changes) ? nothingToDo : record({ type: 'BusinessReverted', data: { to, ...data } });
};

/** One that is not deleted is what it is to be. */
const restore = ({ _tag }: BusinessState): Decision => {
  if (_tag === 'NotCreated' || _tag === 'Erased') return reject('BusinessNotFound');
  return _tag === 'Active' ? nothingToDo : record({ type: 'BusinessRestored', data: {} });
};

const addOwner = ({ owner }: AddOwner, { owners }: Business): Decision => {
  if (owners.some(({ user }) => user === owner.user)) return reject('OwnerAlreadyAdded');
  if (owners.length >= MAX_OWNERS) return reject('TooManyOwners');
  return isTooLong(owners, owner) ? reject('OwnersTooLong') : record({ type: 'BusinessOwnerAdded', data: owner });
};

const updateOwner = ({ user, changes: wanted }: UpdateOwner, { owners }: Business): Decision => {
  const owner = owners.find((known) => known.user === user);
  if (owner === undefined) return reject('OwnerNotFound');
  const changes = changesTo<Pick<typeof owner, 'title' | 'equity'>>(owner, wanted);
  if (isEmpty(changes)) return nothingToDo;
  return isTooLong(owners, { ...owner, ...changes }, owner)
    ? reject('OwnersTooLong')
    : record({ type: 'BusinessOwnerUpdated', data: { user, ...changes } });
};

const removeOwner = ({ user }: RemoveOwner, { owners }: Business): Decision =>
  owners.some((known) => known.user === user)
    ? record({ type: 'BusinessOwnerRemoved', data: { user } })
    : reject('OwnerNotFound');

const decide =
  (command: BusinessCommand) =>
  (state: BusinessState): Decision => {
    if (command._tag === 'CreateBusiness')
      return state._tag === 'NotCreated' ? create(command) : reject('BusinessAlreadyExists');
    if (command._tag === 'RestoreBusiness') return restore(state);
    if (state._tag !== 'Active') return reject('BusinessNotFound');
    switch (command._tag) {
      case 'UpdateBusiness':
        return update(command, state);
      case 'DeleteBusiness':
        return record({ type: 'BusinessDeleted', data: {} });
      case 'RevertBusiness':
        return revert(command, state);
      case 'AddOwner':
        return addOwner(command, state);
      case 'UpdateOwner':
        return updateOwner(command, state);
      case 'RemoveOwner':
        return removeOwner(command, state);
    }
  };

export const businessDecider: Decider<BusinessState, BusinessCommand, BusinessEvent, BusinessRejection> = {
  initialState: initialBusiness,
  decide,
  evolve: evolveBusiness,
  isAbsence: ({ _tag }) => _tag === 'BusinessNotFound',
};
