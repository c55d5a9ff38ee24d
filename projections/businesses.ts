import { BusinessEvent, type BusinessFields } from '../src/domain/business/events.js';
import { businessSerde } from '../src/domain/business/serde.js';
import { type Business, type BusinessState, evolveBusiness, initialBusiness } from '../src/domain/business/state.js';
import { type BusinessView, renderBusiness } from '../src/read/business-view.js';
import type { BusinessFilter } from '../src/read/queries.js';
import {
  arrayLiteral,
  type Cell,
  type Columns,
  HIDDEN_ERASED,
  keysOf,
  type ProjectionOf,
  type RowContent,
} from './projection.js';

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

/** What the body does not show: `since` of its owners; of a deleted one the body, too, which a restore shows again. */
type HiddenState = { readonly since: Business['since']; readonly deleted?: string };

const businessIn = (text: string, since: Business['since']): Business => {
  // reason: `renderBusiness` of the same version wrote this text
  const { _id, displayname, owners, ...fields } = JSON.parse(text) as BusinessView;
  return { fields: { ...fields, displayName: displayname }, owners, since };
};

const contentOf = (id: string, state: BusinessState): RowContent => {
  if (state._tag === 'NotCreated') return { body: null, hidden: null };
  if (state._tag === 'Erased') return { body: null, hidden: HIDDEN_ERASED };
  const { since } = state;
  const shown = renderBusiness(id, state);
  const hidden: HiddenState = state._tag === 'Deleted' ? { since, deleted: shown } : { since };
  // most businesses have no owners, and what their rows hide is then nothing
  return state._tag === 'Active'
    ? { body: shown, hidden: since.length === 0 ? null : JSON.stringify(hidden) }
    : { body: null, hidden: JSON.stringify(hidden) };
};

const stateOf = ({ body, hidden }: RowContent): BusinessState => {
  if (hidden === HIDDEN_ERASED) return { _tag: 'Erased' };
  // reason: `contentOf` of the same version wrote this text
  const { since, deleted } = hidden === null ? { since: [] } : (JSON.parse(hidden) as HiddenState);
  if (body !== null) return { _tag: 'Active', ...businessIn(body, since) };
  return deleted === undefined ? initialBusiness : { _tag: 'Deleted', ...businessIn(deleted, since) };
};

export const businesses: ProjectionOf<BusinessState, BusinessEvent> = {
  rowFor: 'entity',
  name: 'businesses',
  category: 'business',
  revision: 5,
  eventTypes: BusinessEvent.types.map(({ props }) => props.type.value),
  serde: businessSerde,
  initialState: initialBusiness,
  evolve: evolveBusiness,
  keys: keysOf(columns),
  textsOf,
  // the row of a deleted business keeps its place, which clients may hold as a cursor, and hides what a restore shows again
  contentOf,
  stateOf,
};
