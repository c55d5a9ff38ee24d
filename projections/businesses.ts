import { BusinessEvent, type BusinessFields } from '../src/domain/business/events.js';
import { businessSerde } from '../src/domain/business/serde.js';
import { type Business, type BusinessState, evolveBusiness, initialBusiness } from '../src/domain/business/state.js';
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

const businessIn = (text: string): Business => {
  // reason: `renderBusiness` of the same version wrote this text
  const { _id, displayname, owners, ...fields } = JSON.parse(text) as BusinessView;
  return { fields: { ...fields, displayName: displayname }, owners };
};

export const businesses: ProjectionOf<BusinessState, BusinessEvent> = {
  rowFor: 'entity',
  name: 'businesses',
  category: 'business',
  revision: 4,
  eventTypes: BusinessEvent.types.map(({ props }) => props.type.value),
  serde: businessSerde,
  initialState: initialBusiness,
  evolve: evolveBusiness,
  keys: keysOf(columns),
  textsOf,
  // the row of a deleted business keeps its place, which clients may hold as a cursor, and hides what a restore shows again
  contentOf: (id, state) => ({
    body: state._tag === 'Active' ? renderBusiness(id, state) : null,
    hidden: state._tag === 'Deleted' ? renderBusiness(id, state) : null,
  }),
  stateOf: ({ body, hidden }) => {
    if (body !== null) return { _tag: 'Active', ...businessIn(body) };
    return hidden === null ? initialBusiness : { _tag: 'Deleted', ...businessIn(hidden) };
  },
};
