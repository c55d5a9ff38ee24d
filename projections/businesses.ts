import { BusinessEvent, type BusinessFields } from '../src/domain/business/events.js';
import { businessSerde } from '../src/domain/business/serde.js';
import { type BusinessState, evolveBusiness, initialBusiness, unsetFields } from '../src/domain/business/state.js';
import { type BusinessView, renderBusiness } from '../src/read/business-view.js';
import type { BusinessFilter } from '../src/read/queries.js';
import { arrayLiteral, type Cell, type Columns, keysOf, type ProjectionOf } from './projection.js';

type BusinessColumns = Columns<keyof BusinessFilter, BusinessState>;

const column = (name: string, cellOf: (fields: BusinessFields) => Cell): BusinessColumns[keyof BusinessFilter] => ({
  name,
  type: 'text',
  cellOf: (state) => (state._tag === 'Active' ? cellOf(state.fields) : null),
});

const columns: BusinessColumns = {
  name: { ...column('name', ({ name }) => name), sort: 'name' },
  businessType: column('business_type', ({ businessType }) => businessType),
  parent: column('parent', ({ parent }) => parent),
  ein: column('ein', ({ ein }) => ein),
  owner: {
    name: 'owners',
    type: 'text[]',
    cellOf: (state) => (state._tag === 'Active' ? arrayLiteral(state.owners.map(({ user }) => user)) : null),
  },
};

const textsOf = (state: BusinessState): ReadonlyArray<string | null> => {
  if (state._tag !== 'Active') return [];
  const { name, dba, displayName, ein } = state.fields;
  return [name, dba, displayName, ein];
};

const stateOfBody = (body: string): BusinessState => {
  // reason: `renderBusiness` of the same version wrote this text
  const { _id, displayname, owners, ...fields } = JSON.parse(body) as BusinessView;
  return { _tag: 'Active', fields: { ...fields, displayName: displayname }, owners };
};

/**
 * The row of a deleted business keeps its creation position, which clients may hold as a cursor, and none of its data;
 * its hidden state tells it from one that was never created.
 */
const DELETED = '{"deleted":true}';

/** No later event or command needs to know what it was. */
const deleted: BusinessState = { _tag: 'Deleted', fields: { name: '', ...unsetFields }, owners: [] };

export const businesses: ProjectionOf<BusinessState, BusinessEvent> = {
  rowFor: 'entity',
  name: 'businesses',
  category: 'business',
  revision: 3,
  eventTypes: BusinessEvent.types.map(({ props }) => props.type.value),
  serde: businessSerde,
  initialState: initialBusiness,
  evolve: evolveBusiness,
  keys: keysOf(columns),
  textsOf,
  contentOf: (id, state) => ({
    body: state._tag === 'Active' ? renderBusiness(id, state) : null,
    hidden: state._tag === 'Deleted' ? DELETED : null,
  }),
  stateOf: ({ body, hidden }) => {
    if (body !== null) return stateOfBody(body);
    return hidden === null ? initialBusiness : deleted;
  },
};
