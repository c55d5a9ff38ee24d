import type { BusinessEvent } from '../domain/business/events.js';
import { describeErased } from './describe-erased.js';
import { type Description, enumerate, type Ref } from './ref.js';

const business = (id: string | null | undefined): ReadonlyArray<Ref> =>
  id === null || id === undefined ? [] : [{ entity: id, entityType: 'Business' }];

const user = (id: string): ReadonlyArray<Ref> => [{ entity: id, entityType: 'User' }];

/** The field that an event of an owner changes. */
const OWNERS = ['owners'];

/** The members whose values a description contains. */
export const shownOfBusinessEvents = ['parent', 'previousParent', 'to', 'user'];

type Changed = Pick<Extract<BusinessEvent, { type: 'BusinessUpdated' }>['data'], 'changes' | 'previousParent'>;

const changed = ({ changes, previousParent }: Changed, what: string): Description => {
  const fields = Object.keys(changes);
  const refs = [...business(previousParent), ...business(changes.parent)];
  return { type: 'updated', message: `${enumerate(fields)} ${what}`, refs, fields };
};

export const describeBusinessEvent = (event: BusinessEvent): Description => {
  switch (event.type) {
    case 'BusinessCreated':
      return {
        type: 'created',
        message: 'business created',
        refs: business(event.data.parent),
        fields: Object.keys(event.data),
      };
    case 'BusinessUpdated':
      return changed(event.data, 'updated');
    case 'BusinessReverted':
      return changed(event.data, `reverted to revision ${event.data.to}`);
    case 'BusinessDeleted':
      return { type: 'deleted', message: 'business deleted', refs: [], fields: [] };
    case 'BusinessRestored':
      return { type: 'created', message: 'business restored', refs: [], fields: [] };
    case 'BusinessOwnerAdded':
      return { type: 'updated', message: 'owner added', refs: user(event.data.user), fields: OWNERS };
    case 'BusinessOwnerUpdated': {
      const { user: owner, ...changes } = event.data;
      const message = `owner ${enumerate(Object.keys(changes))} updated`;
      return { type: 'updated', message, refs: user(owner), fields: OWNERS };
    }
    case 'BusinessOwnerRemoved':
      return { type: 'updated', message: 'owner removed', refs: user(event.data.user), fields: OWNERS };
    case 'BusinessErased':
      return describeErased(event.data, 'business');
  }
};
