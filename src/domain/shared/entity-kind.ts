import * as t from 'io-ts';

/** The kinds of entities that the contract lists. */
export const EntityKind = t.keyof({
  User: null,
  Application: null,
  Business: null,
  Document: null,
  Institution: null,
  Integration: null,
  Image: null,
  Offer: null,
  Lead: null,
  Pipeline: null,
  Campaign: null,
});
export type EntityKind = t.TypeOf<typeof EntityKind>;
