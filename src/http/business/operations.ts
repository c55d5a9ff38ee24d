import * as t from 'io-ts';
import type { BusinessFilter } from '../../read/queries.js';
import { fields } from '../fields/fields-type.js';
import {
  create,
  events,
  list,
  type OperationDescription,
  read,
  write,
  writeWithoutBody,
} from '../openapi/operation-description.js';
import { feedByLink, linkingFeed } from '../link/operations.js';
import { AsOfParameters } from '../parameters/as-of.js';
import { EventsParameters } from '../parameters/events.js';
import { ExactText, exactTextParameter, listParameters } from '../parameters/list.js';
import { parameter } from '../parameters/parameter.js';
import { CreateBusinessBody, RevertBusinessBody, UpdateBusinessBody } from './body.js';
import { businessEvents } from './described-events.js';
import {
  businessExample,
  changedBusinessExample,
  changedOwnerExample,
  deletedBusinessExample,
  ownerExample,
  restoredBusinessExample,
  revertedBusinessExample,
} from './examples.js';
import { AddOwnerBody, OwnerIdBody, UpdateOwnerBody } from './owner-request.js';
import { recordOrPreview } from '../record/change-preview.js';
import { UndoParameters } from '../record/undo-request.js';
import { BusinessResponse, OwnerResponse } from './responses.js';

const tag = 'Business';

export const businessListParameters = listParameters({
  name: ExactText,
  businessType: ExactText,
  parent: ExactText,
  ein: ExactText,
  owner: exactTextParameter('The `user` of an owner.'),
} satisfies Record<keyof BusinessFilter, typeof ExactText>);

const OwnerIdParameters = fields({
  ownerId: parameter<string>({
    expectation: 'the user of an owner',
    meaning: 'The user of the owner; may be in the body or the path instead, and must be the same wherever it is.',
    schema: { type: 'string' },
    read: (value) => value,
  }),
});

const updateOwner = {
  tag,
  summary: 'Update an owner: absent fields stay, null clears; the user cannot be changed',
  query: OwnerIdParameters,
  body: { json: UpdateOwnerBody, example: { title: 'Chair', equity: 55.5 } },
  success: OwnerResponse,
  example: changedOwnerExample,
  ...write,
} as const;

// A body of another type counts as none, and so is no fault.
const removeOwner = {
  tag,
  summary: 'Remove an owner, and answer it',
  query: OwnerIdParameters,
  body: { json: OwnerIdBody, example: {} },
  success: OwnerResponse,
  example: changedOwnerExample,
  ...writeWithoutBody,
  failures: [...writeWithoutBody.failures, 413],
} as const;

/** The purpose of links. */
export const linkedAs = { events: 'business/events' } as const;

/** What the API description says of each operation on businesses. */
export const businessOperations = {
  listBusinesses: {
    tag,
    summary: 'All businesses in the order of their creation, or a page of them',
    query: businessListParameters.codec,
    success: t.array(BusinessResponse),
    example: [businessExample],
    ...list,
  },
  getBusiness: {
    tag,
    summary: 'A business as it is, or as it was at a revision or an instant',
    query: AsOfParameters,
    success: BusinessResponse,
    example: businessExample,
    ...read,
  },
  listBusinessEvents: {
    tag,
    summary: 'What happened to a business, also to a deleted one, oldest first',
    query: EventsParameters,
    success: { eventsOf: businessEvents },
    ...events,
  },
  linkBusinessEvents: {
    tag,
    summary: 'A link to the feed of a business, which a browser can follow without a token until the link expires',
    ...linkingFeed(linkedAs.events),
  },
  followLinkedBusinessEvents: {
    tag,
    summary: 'What happens to a business, as Server-Sent Events, by a link',
    ...feedByLink,
  },
  createBusiness: {
    tag,
    summary: 'Create a business',
    body: {
      json: CreateBusinessBody,
      example: { name: 'Acme Inc.', displayName: 'Acme', businessType: 'C-Corp', website: 'acme.example' },
    },
    success: BusinessResponse,
    example: businessExample,
    ...create,
  },
  updateBusiness: {
    tag,
    summary: 'Update a business: absent fields stay, null clears',
    body: { json: UpdateBusinessBody, example: { phone: '+1 555 0100', website: null } },
    success: BusinessResponse,
    example: changedBusinessExample,
    ...write,
  },
  deleteBusiness: {
    tag,
    summary: 'Delete a business, and answer its last state',
    success: BusinessResponse,
    example: deletedBusinessExample,
    ...writeWithoutBody,
  },
  restoreBusiness: {
    tag,
    summary: 'Make a deleted business what it was, owners included',
    query: UndoParameters,
    success: recordOrPreview(BusinessResponse),
    example: restoredBusinessExample,
    ...writeWithoutBody,
  },
  revertBusiness: {
    tag,
    summary: 'Give fields of a business back what they were at a revision; owners stay',
    query: UndoParameters,
    body: { json: RevertBusinessBody, example: { revision: 0, fields: ['phone', 'website'] } },
    success: recordOrPreview(BusinessResponse),
    example: revertedBusinessExample,
    ...write,
  },
  addOwner: {
    tag,
    summary: 'Add an owner, identified by its user',
    body: { json: AddOwnerBody, example: { user: 'bob', title: 'CEO', equity: 60 } },
    success: OwnerResponse,
    example: ownerExample,
    ...write,
  },
  updateOwner,
  updateOwnerByPath: updateOwner,
  removeOwner,
  removeOwnerByPath: removeOwner,
} satisfies Readonly<Record<string, OperationDescription>>;
