import * as t from 'io-ts';
import { BusinessFields, businessFieldNames, Owner } from '../../domain/business/events.js';
import { keyOf } from '../../read/business-view.js';
import { explain, named } from '../fields/json-schema.js';
import { lifecycle, lifecycleMeanings } from '../openapi/response-schemas.js';
import { businessMeanings, ownerMeanings } from './meanings.js';

export const OwnerResponse = named(
  'BusinessOwner',
  explain({ '': 'An owner of a business.', ...ownerMeanings }, Owner),
);

const shown = businessFieldNames.map((name) => [keyOf(name), BusinessFields.props[name]] as const);

/** Every key is always there; null where it was never set or has been cleared. */
export const BusinessResponse = named(
  'Business',
  explain(
    {
      ...businessMeanings,
      ...lifecycleMeanings,
      '': 'A business. Every key is there; null where it was never set or has been cleared.',
      _id: 'Identifies the business.',
      owners: 'Its owners, in the order in which they were added.',
    },
    t.type({ _id: t.string, ...Object.fromEntries(shown), owners: t.array(OwnerResponse), ...lifecycle }),
  ),
);
