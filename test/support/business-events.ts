import * as fc from 'fast-check';
import type { BusinessEvent } from '../../src/domain/business/events.js';
import { amount, orNull, text, user } from './arbitrary-values.js';
import { draw } from './draw.js';

type BusinessEventOf<Type extends BusinessEvent['type']> = Extract<BusinessEvent, { type: Type }>;

const texts = {
  displayName: text,
  businessType: text,
  dba: text,
  email: text,
  phone: text,
  website: text,
  ein: text,
  line1: text,
  line2: text,
  city: text,
  state: text,
  zip: text,
  country: text,
};

const businessCreated: fc.Arbitrary<BusinessEventOf<'BusinessCreated'>> = fc
  .record({ name: text, ...texts, parent: text, netWorth: amount, revenue: amount }, { requiredKeys: ['name'] })
  .map((data) => ({ type: 'BusinessCreated', data }));

const cleared = Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, orNull(value)]));

const withoutParent = fc
  .record({ name: text, ...cleared, netWorth: orNull(amount), revenue: orNull(amount) }, { requiredKeys: [] })
  .filter((changes) => Object.keys(changes).length > 0)
  .map((changes) => ({ changes }));

const withParent = fc
  .record({
    changes: fc.oneof(
      withoutParent.map(({ changes }) => changes),
      fc.constant({}),
    ),
    parent: orNull(text),
    previousParent: orNull(text),
  })
  .map(({ changes, parent, previousParent }) => ({ changes: { ...changes, parent }, previousParent }));

const businessUpdated: fc.Arbitrary<BusinessEventOf<'BusinessUpdated'>> = fc
  .oneof(withoutParent, withParent)
  .map((data) => ({ type: 'BusinessUpdated', data }));

const businessDeleted: fc.Arbitrary<BusinessEventOf<'BusinessDeleted'>> = fc.constant({
  type: 'BusinessDeleted',
  data: {},
});

const businessRestored: fc.Arbitrary<BusinessEventOf<'BusinessRestored'>> = fc.constant({
  type: 'BusinessRestored',
  data: {},
});

const businessReverted: fc.Arbitrary<BusinessEventOf<'BusinessReverted'>> = fc
  .tuple(fc.nat(), fc.oneof(withoutParent, withParent))
  .map(([to, data]) => ({ type: 'BusinessReverted', data: { to, ...data } }));

export const owner = fc.record({ user, title: orNull(text), equity: orNull(amount.map(Math.abs)) });

const businessOwnerAdded: fc.Arbitrary<BusinessEventOf<'BusinessOwnerAdded'>> = owner.map((data) => ({
  type: 'BusinessOwnerAdded',
  data,
}));

const businessOwnerUpdated: fc.Arbitrary<BusinessEventOf<'BusinessOwnerUpdated'>> = fc
  .record({ user, title: orNull(text), equity: orNull(amount.map(Math.abs)) }, { requiredKeys: ['user'] })
  .filter((data) => Object.keys(data).length > 1)
  .map((data) => ({ type: 'BusinessOwnerUpdated', data }));

const businessOwnerRemoved: fc.Arbitrary<BusinessEventOf<'BusinessOwnerRemoved'>> = user.map((name) => ({
  type: 'BusinessOwnerRemoved',
  data: { user: name },
}));

export const businessEvent: fc.Arbitrary<BusinessEvent> = fc.oneof(
  businessCreated,
  businessUpdated,
  businessDeleted,
  businessRestored,
  businessReverted,
  businessOwnerAdded,
  businessOwnerUpdated,
  businessOwnerRemoved,
);

type DataOf<Type extends BusinessEvent['type']> = BusinessEventOf<Type>['data'];

export const aBusinessCreated = (
  over: Partial<DataOf<'BusinessCreated'>> = {},
): BusinessEventOf<'BusinessCreated'> => ({
  type: 'BusinessCreated',
  data: { ...draw(businessCreated).data, ...over },
});

export const aBusinessUpdated = (): BusinessEventOf<'BusinessUpdated'> => draw(businessUpdated);

export const aBusinessDeleted = (): BusinessEventOf<'BusinessDeleted'> => draw(businessDeleted);

export const anOwnerAdded = (
  over: Partial<DataOf<'BusinessOwnerAdded'>> = {},
): BusinessEventOf<'BusinessOwnerAdded'> => ({
  type: 'BusinessOwnerAdded',
  data: { ...draw(businessOwnerAdded).data, ...over },
});

export const anOwnerUpdated = (
  over: Partial<DataOf<'BusinessOwnerUpdated'>> = {},
): BusinessEventOf<'BusinessOwnerUpdated'> => ({
  type: 'BusinessOwnerUpdated',
  data: { ...draw(businessOwnerUpdated).data, ...over },
});

export const anOwnerRemoved = (
  over: Partial<DataOf<'BusinessOwnerRemoved'>> = {},
): BusinessEventOf<'BusinessOwnerRemoved'> => ({
  type: 'BusinessOwnerRemoved',
  data: { ...draw(businessOwnerRemoved).data, ...over },
});
