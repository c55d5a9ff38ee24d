import { BusinessEvent, type BusinessFields } from '../src/domain/business/events.js';
import { businessSerde } from '../src/domain/business/serde.js';
import { type BusinessState, evolveBusiness, initialBusiness } from '../src/domain/business/state.js';
import { type BusinessView, renderBusiness } from '../src/read/business-view.js';
import type { BusinessFilter } from '../src/read/queries.js';
import { type Cell, type Columns, keysOf, type ProjectionOf } from './projection.js';

/**
 * The row of a deleted business keeps its creation position, which clients may hold as a cursor, and none of its data.
 */
type ProjectedBusiness = Exclude<BusinessState, { _tag: 'Deleted' }> | { readonly _tag: 'Deleted' };

const evolve = (state: ProjectedBusiness, event: BusinessEvent): ProjectedBusiness => {
  if (state._tag === 'Deleted') return state;
  const next = evolveBusiness(state, event);
  return next._tag === 'Deleted' ? { _tag: 'Deleted' } : next;
};

type BusinessColumns = Columns<keyof BusinessFilter, ProjectedBusiness>;

const column = (name: string, cellOf: (fields: BusinessFields) => Cell): BusinessColumns[keyof BusinessFilter] => ({
  name,
  type: 'text',
  cellOf: (state) => (state._tag === 'Active' ? cellOf(state.fields) : null),
});

const columns: BusinessColumns = {
  name: column('name', ({ name }) => name),
  businessType: column('business_type', ({ businessType }) => businessType),
  parent: column('parent', ({ parent }) => parent),
  ein: column('ein', ({ ein }) => ein),
};

const stateOfBody = (body: string): ProjectedBusiness => {
  // reason: `renderBusiness` of the same version wrote this text
  const { _id, displayname, owners, ...fields } = JSON.parse(body) as BusinessView;
  return { _tag: 'Active', fields: { ...fields, displayName: displayname }, owners };
};

/** The hidden state of a deleted business, which tells it from one that was never created. */
const DELETED = '{"deleted":true}';

export const businesses: ProjectionOf<ProjectedBusiness, BusinessEvent> = {
  name: 'businesses',
  category: 'business',
  revision: 1,
  eventTypes: BusinessEvent.types.map(({ props }) => props.type.value),
  serde: businessSerde,
  initialState: initialBusiness,
  evolve,
  keys: keysOf(columns),
  contentOf: (id, state) => ({
    body: state._tag === 'Active' ? renderBusiness(id, state) : null,
    hidden: state._tag === 'Deleted' ? DELETED : null,
  }),
  stateOf: ({ body, hidden }) => {
    if (body !== null) return stateOfBody(body);
    return hidden === null ? { _tag: 'NotCreated' } : { _tag: 'Deleted' };
  },
};
