import * as t from 'io-ts';
import { Erased } from '../../event-sourcing/erasure/erased-events.js';
import { nullable } from '../shared/nullable.js';

const text = nullable(t.string);
const amount = nullable(t.number);

/** In the order of the JSON of a business. */
const fields = {
  businessType: text,
  name: t.string,
  dba: text,
  displayName: text,
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
};

/** Everything of a business but its owners; null where unset. */
export const BusinessFields = t.type(fields);
export type BusinessFields = Readonly<t.TypeOf<typeof BusinessFields>>;

// reason: the keys of a literal are those of its type
export const businessFieldNames = Object.keys(fields) as ReadonlyArray<keyof BusinessFields>;

const BusinessChanges = t.partial(fields);
export type BusinessChanges = Readonly<t.TypeOf<typeof BusinessChanges>>;

export const Owner = t.type({ user: t.string, title: text, equity: amount });
export type Owner = Readonly<t.TypeOf<typeof Owner>>;

/** `data`: the fields that were given a value. */
const BusinessCreated = t.type({
  type: t.literal('BusinessCreated'),
  data: t.intersection([t.type({ name: t.string }), BusinessChanges]),
});

/** `changes`: the fields that changed, null where cleared; `previousParent` only when the parent changed. */
const BusinessUpdated = t.type({
  type: t.literal('BusinessUpdated'),
  data: t.intersection([t.type({ changes: BusinessChanges }), t.partial({ previousParent: text })]),
});

const BusinessDeleted = t.type({ type: t.literal('BusinessDeleted'), data: t.type({}) });

/** It is again as it was when it was deleted, owners included. */
const BusinessRestored = t.type({ type: t.literal('BusinessRestored'), data: t.type({}) });

/** `changes`: the fields that got back the values that they had at the revision `to`, as of an update. Owners stay. */
const BusinessReverted = t.type({
  type: t.literal('BusinessReverted'),
  data: t.intersection([t.type({ to: t.number, changes: BusinessChanges }), t.partial({ previousParent: text })]),
});

const BusinessOwnerAdded = t.type({ type: t.literal('BusinessOwnerAdded'), data: Owner });

/** `title` and `equity` only where they changed. */
const BusinessOwnerUpdated = t.type({
  type: t.literal('BusinessOwnerUpdated'),
  data: t.intersection([t.type({ user: t.string }), t.partial({ title: text, equity: amount })]),
});

const BusinessOwnerRemoved = t.type({
  type: t.literal('BusinessOwnerRemoved'),
  data: t.type({ user: t.string }),
});

/** The data of events before it was destroyed: of all of them, or of those about one owner. */
const BusinessErased = t.type({ type: t.literal('BusinessErased'), data: Erased });

export const BusinessEvent = t.union([
  BusinessCreated,
  BusinessUpdated,
  BusinessDeleted,
  BusinessRestored,
  BusinessReverted,
  BusinessOwnerAdded,
  BusinessOwnerUpdated,
  BusinessOwnerRemoved,
  BusinessErased,
]);
export type BusinessEvent = t.TypeOf<typeof BusinessEvent>;
