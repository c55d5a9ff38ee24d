import type { BusinessEvent } from '../domain/business/events.js';
import { type Description, enumerate, type Ref } from './ref.js';

const business = (id: string | null | undefined): ReadonlyArray<Ref> =>
  id === null || id === undefined ? [] : [{ entity: id, entityType: 'Business' }];

const user = (id: string): ReadonlyArray<Ref> => [{ entity: id, entityType: 'User' }];

/** The members whose values a description contains. */
export const shownOfBusinessEvents = ['parent', 'previousParent', 'user'];

export const describeBusinessEvent = (event: BusinessEvent): Description => {
  switch (event.type) {
    case 'BusinessCreated':
      return { type: 'created', message: 'business created', refs: business(event.data.parent) };
    case 'BusinessUpdated': {
      const { changes, previousParent } = event.data;
      const message = `${enumerate(Object.keys(changes))} updated`;
      return { type: 'updated', message, refs: [...business(previousParent), ...business(changes.parent)] };
    }
    case 'BusinessDeleted':
      return { type: 'deleted', message: 'business deleted', refs: [] };
    case 'BusinessOwnerAdded':
      return { type: 'updated', message: 'owner added', refs: user(event.data.user) };
    case 'BusinessOwnerUpdated': {
      const { user: owner, ...changes } = event.data;
      return { type: 'updated', message: `owner ${enumerate(Object.keys(changes))} updated`, refs: user(owner) };
    }
    case 'BusinessOwnerRemoved':
      return { type: 'updated', message: 'owner removed', refs: user(event.data.user) };
  }
};
