import * as t from 'io-ts';
import { BusinessFields, businessFieldNames, Owner } from '../../domain/business/events.js';
import { keyOf } from '../../read/business-view.js';
import { named } from '../fields/json-schema.js';

export const OwnerResponse = named('BusinessOwner', Owner);

const shown = businessFieldNames.map((name) => [keyOf(name), BusinessFields.props[name]] as const);

/** Every key is always there; null where it was never set or has been cleared. */
export const BusinessResponse = named(
  'Business',
  t.type({ _id: t.string, ...Object.fromEntries(shown), owners: t.array(OwnerResponse) }),
);
