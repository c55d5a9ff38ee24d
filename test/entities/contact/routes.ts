import { either as E } from 'fp-ts';
import * as t from 'io-ts';
import {
  commandIdsOf,
  envelopeOf,
  type CommandContext,
  type CommandIds,
} from '../../../src/application/command-context.js';
import type { Execute, Outcome } from '../../../src/application/execute.js';
import { nullable } from '../../../src/domain/shared/nullable.js';
import { auditors, editors, viewers } from '../../../src/http/authentication/roles.js';
import { fields } from '../../../src/http/fields/fields-type.js';
import { named } from '../../../src/http/fields/json-schema.js';
import { requiredText, text } from '../../../src/http/fields/text.js';
import { create, list, read, write } from '../../../src/http/openapi/operation-description.js';
import { lifecycle } from '../../../src/http/openapi/response-schemas.js';
import { AsOfParameters } from '../../../src/http/parameters/as-of.js';
import { EventsParameters } from '../../../src/http/parameters/events.js';
import { ExactText, listParameters } from '../../../src/http/parameters/list.js';
import { API } from '../../../src/http/paths.js';
import type { Failure } from '../../../src/http/problem/failure.js';
import { conflict, notFound } from '../../../src/http/problem/problem.js';
import { withRejections } from '../../../src/http/problem/rejected.js';
import { getRecord } from '../../../src/http/record/get-record.js';
import { listEvents } from '../../../src/http/record/list-events.js';
import { listRecords } from '../../../src/http/record/list-records.js';
import { recordResponse } from '../../../src/http/record/command-response.js';
import { recordId } from '../../../src/http/record/record-id.js';
import type { AuthorizedContext } from '../../../src/http/request-context.js';
import { decodeRequest } from '../../../src/http/request/decode.js';
import { readCommand } from '../../../src/http/request/read-command.js';
import type { HttpResponse } from '../../../src/http/response/http-response.js';
import { recordedReadsOf, type Route } from '../../../src/http/route.js';
import type { EntityReads } from '../../../src/read/entity-reads.js';
import { type ContactCommand, ContactEvent, type ContactRejection, type ContactState } from './domain.js';
import type { ContactFilter } from './projection.js';
import { renderContact } from './views.js';
import type { Random } from '../../../src/event-sourcing/random.js';

type Deps = {
  readonly random: Random;
  readonly execute: Execute<ContactState, ContactCommand, ContactRejection>;
  readonly reads: EntityReads<ContactFilter>;
};

type Handled = Promise<E.Either<Failure | ContactRejection, HttpResponse>>;

const all = `${API}/contact`;
const one = `${all}/:id`;
const tag = 'Contact';
const { always, past } = recordedReadsOf(tag);

const bodyFields = { name: requiredText(), email: text(), phone: text() };
const CreateBody = fields(bodyFields, { required: ['name'] });
const UpdateBody = fields(bodyFields);
const optional = nullable(t.string);
const ContactResponse = named(
  tag,
  t.type({ _id: t.string, name: t.string, email: optional, phone: optional, ...lifecycle }),
);
const parameters = listParameters({ name: ExactText, email: ExactText } satisfies Record<
  keyof ContactFilter,
  typeof ExactText
>);

const handled = withRejections<ContactRejection>({
  ContactNotFound: notFound('entity_not_found'),
  ContactAlreadyExists: conflict('entity_exists', 'The contact exists already'),
});

const callOf = (context: CommandContext, ids: CommandIds, id: string, command: ContactCommand) => ({
  stream: `contact-${id}` as const,
  command,
  envelope: envelopeOf(context, ids, command),
  precondition: context.precondition,
  fresh: command._tag === 'CreateContact',
});

const render = (id: string, { after }: Outcome<ContactState>): string | undefined =>
  after._tag === 'NotCreated' ? undefined : renderContact(id, after.fields);

const creating =
  ({ random, execute }: Deps) =>
  async (request: AuthorizedContext): Handled => {
    const decoded = await readCommand(request, decodeRequest(CreateBody));
    if (E.isLeft(decoded)) return decoded;
    const [context, contact] = decoded.right;
    const ids = commandIdsOf(random, context);
    const outcome = await execute(callOf(context, ids, ids.entityId, { _tag: 'CreateContact', fields: contact }));
    return recordResponse(ids.entityId, outcome, render, 'Location', `${API}/contact/${ids.entityId}`);
  };

const updating =
  ({ random, execute }: Deps) =>
  async (request: AuthorizedContext): Handled => {
    const decoded = await readCommand(request, decodeRequest(UpdateBody));
    if (E.isLeft(decoded)) return decoded;
    const id = recordId(request.params['id']);
    if (E.isLeft(id)) return id;
    const [context, changes] = decoded.right;
    const outcome = await execute(
      callOf(context, commandIdsOf(random, context), id.right, { _tag: 'UpdateContact', changes }),
    );
    return recordResponse(id.right, outcome, render);
  };

export const contactRoutes = (deps: Deps): ReadonlyArray<Route> => [
  {
    operation: 'listContacts',
    description: {
      tag,
      summary: 'All contacts in the order of their creation, or a page of them',
      query: parameters.codec,
      success: t.array(ContactResponse),
      ...list,
    },
    method: 'GET',
    path: all,
    access: 'token',
    roles: viewers,
    handle: listRecords({ read: parameters.read, reads: deps.reads }),
  },
  {
    operation: 'getContact',
    description: {
      tag,
      summary: 'A contact as it is, or as it was',
      query: AsOfParameters,
      success: ContactResponse,
      ...read,
    },
    method: 'GET',
    path: one,
    access: 'token',
    roles: viewers,
    past: auditors,
    recorded: past,
    handle: getRecord(deps.reads),
  },
  {
    operation: 'listContactEvents',
    description: {
      tag,
      summary: 'What happened to a contact, oldest first',
      query: EventsParameters,
      success: { eventsOf: { entityType: tag, codec: ContactEvent, meanings: {} } },
      ...list,
    },
    method: 'GET',
    path: `${one}/events`,
    access: 'token',
    roles: auditors,
    recorded: always,
    handle: listEvents(deps.reads),
  },
  {
    operation: 'createContact',
    description: {
      tag,
      summary: 'Create a contact',
      body: { json: CreateBody, example: { name: 'Ann', email: 'ann@example.org' } },
      success: ContactResponse,
      ...create,
    },
    method: 'POST',
    path: all,
    access: 'token',
    roles: editors,
    handle: handled(creating(deps)),
  },
  {
    operation: 'updateContact',
    description: {
      tag,
      summary: 'Update a contact: absent fields stay, null clears',
      body: { json: UpdateBody, example: { phone: null } },
      success: ContactResponse,
      ...write,
    },
    method: 'PUT',
    path: one,
    access: 'token',
    roles: editors,
    handle: handled(updating(deps)),
  },
];
