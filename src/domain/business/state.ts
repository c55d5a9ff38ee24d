import type { BusinessEvent, BusinessFields, Owner } from './events.js';

export type Business = {
  readonly fields: BusinessFields;
  /** In the order added; `user` identifies an owner. */
  readonly owners: ReadonlyArray<Owner>;
};

export type BusinessState =
  | { readonly _tag: 'NotCreated' }
  | ({ readonly _tag: 'Active' } & Business)
  | ({ readonly _tag: 'Deleted' } & Business);

export const initialBusiness: BusinessState = { _tag: 'NotCreated' };

/** What a business has beside its name before anything was given. */
export const unsetFields: Omit<BusinessFields, 'name'> = {
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
};

const evolveActive = (
  business: Extract<BusinessState, { _tag: 'Active' }>,
  event: Exclude<BusinessEvent, { type: 'BusinessCreated' }>,
): BusinessState => {
  const { fields, owners } = business;
  switch (event.type) {
    case 'BusinessUpdated':
      return { ...business, fields: { ...fields, ...event.data.changes } };
    case 'BusinessDeleted':
      return { _tag: 'Deleted', fields, owners };
    case 'BusinessOwnerAdded':
      return { ...business, owners: [...owners, event.data] };
    case 'BusinessOwnerUpdated':
      return {
        ...business,
        owners: owners.map((owner) => (owner.user === event.data.user ? { ...owner, ...event.data } : owner)),
      };
    case 'BusinessOwnerRemoved':
      return { ...business, owners: owners.filter(({ user }) => user !== event.data.user) };
  }
};

/** Total: an event that does not fit the state leaves it as it is. */
export const evolveBusiness = (state: BusinessState, event: BusinessEvent): BusinessState => {
  if (event.type === 'BusinessCreated')
    return state._tag === 'NotCreated'
      ? { _tag: 'Active', fields: { ...unsetFields, ...event.data }, owners: [] }
      : state;
  return state._tag === 'Active' ? evolveActive(state, event) : state;
};
