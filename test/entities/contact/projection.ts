import { type Columns, keysOf, type ProjectionOf } from '../../../projections/projection.js';
import { contactDecider, ContactEvent, contactSerde, type ContactFields, type ContactState } from './domain.js';
import { renderContact } from './views.js';

export type ContactFilter = Partial<Readonly<Record<'name' | 'email', string>>>;

const columns: Columns<keyof ContactFilter, ContactState> = {
  name: {
    name: 'name',
    type: 'text',
    sort: 'name',
    cellOf: (state) => (state._tag === 'Current' ? state.fields.name : null),
  },
  email: { name: 'email', type: 'text', cellOf: (state) => (state._tag === 'Current' ? state.fields.email : null) },
};

export const contacts: ProjectionOf<ContactState, ContactEvent> = {
  rowFor: 'entity',
  name: 'contacts',
  category: 'contact',
  revision: 1,
  eventTypes: ContactEvent.types.map(({ props }) => props.type.value),
  serde: contactSerde,
  initialState: contactDecider.initialState,
  evolve: contactDecider.evolve,
  keys: keysOf(columns),
  textsOf: (state) => (state._tag === 'Current' ? [state.fields.name] : []),
  contentOf: (id, state) => ({ body: state._tag === 'Current' ? renderContact(id, state.fields) : null, hidden: null }),
  stateOf: ({ body }) => {
    if (body === null) return { _tag: 'NotCreated' };
    // reason: the text is what `renderContact` of this very version wrote
    const { name, email, phone } = JSON.parse(body) as ContactFields;
    return { _tag: 'Current', fields: { name, email, phone } };
  },
};
