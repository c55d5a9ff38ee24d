import * as t from 'io-ts';
import { nullable } from '../../domain/shared/nullable.js';
import type { BusinessView } from '../../read/business-view.js';
import { named } from '../fields/json-schema.js';

const text = nullable(t.string);
const amount = nullable(t.number);

export const OwnerResponse = named('BusinessOwner', t.type({ user: t.string, title: text, equity: amount }));

/** Every key is always there; null where it was never set or has been cleared. */
export const BusinessResponse = named(
  'Business',
  t.type({
    _id: t.string,
    businessType: text,
    name: t.string,
    dba: text,
    displayname: text,
    email: text,
    phone: text,
    website: text,
    netWorth: amount,
    revenue: amount,
    ein: text,
    parent: text,
    line1: text,
    line2: text,
    city: text,
    state: text,
    zip: text,
    country: text,
    owners: t.array(OwnerResponse),
  }),
) satisfies t.Decoder<unknown, BusinessView>;
