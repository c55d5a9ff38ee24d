import { either as E } from 'fp-ts';
import * as t from 'io-ts';
import { changesTo, isEmpty } from '../../../src/domain/shared/changes.js';
import { nullable } from '../../../src/domain/shared/nullable.js';
import type { Decider } from '../../../src/event-sourcing/decider.js';
import { makeSerde } from '../../../src/event-sourcing/serde.js';

const fields = { name: t.string, email: nullable(t.string), phone: nullable(t.string) };

const ContactFields = t.type(fields);
export type ContactFields = Readonly<t.TypeOf<typeof ContactFields>>;

const ContactChanges = t.partial(fields);
type ContactChanges = Readonly<t.TypeOf<typeof ContactChanges>>;

const ContactCreated = t.type({ type: t.literal('ContactCreated'), data: ContactFields });

/** `changes`: the fields that changed. */
const ContactUpdated = t.type({ type: t.literal('ContactUpdated'), data: t.type({ changes: ContactChanges }) });

export const ContactEvent = t.union([ContactCreated, ContactUpdated]);
export type ContactEvent = t.TypeOf<typeof ContactEvent>;

export const contactSerde = makeSerde(ContactEvent, {});

export type ContactState =
  { readonly _tag: 'NotCreated' } | { readonly _tag: 'Current'; readonly fields: ContactFields };

export type ContactCommand =
  | { readonly _tag: 'CreateContact'; readonly fields: ContactChanges & Pick<ContactFields, 'name'> }
  | { readonly _tag: 'UpdateContact'; readonly changes: ContactChanges };

export type ContactRejection = { readonly _tag: 'ContactNotFound' } | { readonly _tag: 'ContactAlreadyExists' };

type Decision = E.Either<ContactRejection, ReadonlyArray<ContactEvent>>;

const decide =
  (command: ContactCommand) =>
  (state: ContactState): Decision => {
    switch (command._tag) {
      case 'CreateContact': {
        if (state._tag !== 'NotCreated') return E.left({ _tag: 'ContactAlreadyExists' });
        return E.right([{ type: 'ContactCreated', data: { email: null, phone: null, ...command.fields } }]);
      }
      case 'UpdateContact': {
        if (state._tag !== 'Current') return E.left({ _tag: 'ContactNotFound' });
        const changes = changesTo(state.fields, command.changes);
        return E.right(isEmpty(changes) ? [] : [{ type: 'ContactUpdated', data: { changes } }]);
      }
    }
  };

const evolve = (state: ContactState, event: ContactEvent): ContactState => {
  if (event.type === 'ContactCreated')
    return state._tag === 'NotCreated' ? { _tag: 'Current', fields: event.data } : state;
  return state._tag === 'Current' ? { ...state, fields: { ...state.fields, ...event.data.changes } } : state;
};

export const contactDecider: Decider<ContactState, ContactCommand, ContactEvent, ContactRejection> = {
  initialState: { _tag: 'NotCreated' },
  decide,
  evolve,
  isAbsence: ({ _tag }) => _tag === 'ContactNotFound',
};
