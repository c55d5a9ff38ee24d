import { option as O } from 'fp-ts';
import { defineEntity } from '../../../src/entities/define-entity.js';
import {
  type ContactCommand,
  contactDecider,
  type ContactEvent,
  type ContactRejection,
  contactSerde,
  type ContactState,
} from './domain.js';
import { contacts } from './projection.js';
import { describeContactEvent, renderContact } from './views.js';

export const contact = defineEntity<ContactState, ContactCommand, ContactEvent, ContactRejection>({
  name: 'Contact',
  decider: contactDecider,
  serde: contactSerde,
  describe: describeContactEvent,
  shown: [],
  render: (id, state) => (state._tag === 'Current' ? O.some(renderContact(id, state.fields)) : O.none),
  projection: contacts,
  routes: (connected, { runtime }) =>
    import('./routes.js').then(({ contactRoutes }) => contactRoutes({ ...connected, random: runtime.random })),
});
