import { type Description, enumerate } from '../../../src/read/ref.js';
import type { ContactEvent, ContactFields } from './domain.js';

/** The JSON text of a contact as every GET and every write answers it. */
export const renderContact = (id: string, { name, email, phone }: ContactFields): string =>
  JSON.stringify({ _id: id, name, email, phone });

const updated = (fields: ReadonlyArray<string>): Description => ({
  type: 'updated',
  message: `${enumerate(fields)} updated`,
  refs: [],
  fields,
});

export const describeContactEvent = (event: ContactEvent): Description =>
  event.type === 'ContactCreated'
    ? { type: 'created', message: 'contact created', refs: [], fields: Object.keys(event.data) }
    : updated(Object.keys(event.data.changes));
