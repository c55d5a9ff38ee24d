import * as t from 'io-ts';
import { AddOwnerBody, UpdateOwnerBody } from '../business/owner-body.js';
import { CreateBusinessBody, UpdateBusinessBody } from '../business/body.js';
import { CreateDocumentBody, CreateDocumentForm, UpdateDocumentBody, UpdateDocumentForm } from '../document/body.js';
import { OwnerIdBody } from '../business/owner-id.js';
import { AsOfQuery } from '../query/as-of.js';
import { EventsQuery } from '../query/events.js';
import { BusinessListQuery, DocumentListQuery } from '../query/list.js';
import {
  BusinessAnswer,
  BusinessOwnerAnswer,
  DocumentAnswer,
  EventAnswer,
  HealthAnswer,
  ReadinessAnswer,
} from './answers.js';
import type { JsonSchema } from '../fields/json-schema.js';
import { type HeaderName, OwnerIdQuery } from './parameters.js';

/** A body that is not JSON, by its media type. */
type Content = { readonly mediaType: string };

export type OperationDescription = {
  readonly tag: 'Business' | 'Document' | 'Operation';
  readonly summary: string;
  readonly query?: t.Mixed;
  readonly headers?: ReadonlyArray<HeaderName>;
  readonly body?: {
    readonly json: t.Mixed;
    /** What /docs has ready to be sent; by the schema alone it would make up letters. */
    readonly example: JsonSchema;
    readonly form?: { readonly codec: t.Mixed; readonly isFileRequired: boolean; readonly example: JsonSchema };
  };
  readonly success: t.Mixed | Content;
  /** Headers of the answer, beside those that every answer has. */
  readonly answers?: ReadonlyArray<
    'ETag' | 'Location' | 'Link' | 'X-Projected' | 'Content-Disposition' | 'Accept-Ranges' | 'Content-Encoding' | 'Vary'
  >;
  /** Statuses without a failure, beside 200. */
  readonly others?: ReadonlyArray<206 | 304>;
  /** Beside 429, which the route table tells. */
  readonly failures: ReadonlyArray<number>;
};

const always = [401, 404, 500, 503];
const reading = [400, ...always];
const conditional = [...reading, 412];
const writing = [...conditional, 413, 415, 422];

const read = {
  headers: ['If-Match', 'If-None-Match'],
  answers: ['ETag'],
  others: [304],
  failures: conditional,
} as const;
const write = {
  headers: ['If-Match', 'If-None-Match', 'Idempotency-Key'],
  answers: ['ETag', 'X-Projected'],
  failures: writing,
} as const;
const create = { ...write, answers: ['Location', 'ETag', 'X-Projected'], failures: [...writing, 409] } as const;
const list = { answers: ['Link'], failures: reading } as const;
const open = { tag: 'Operation', failures: [500] } as const;
const page = {
  tag: 'Operation',
  headers: ['Accept-Encoding', 'If-Match', 'If-None-Match'],
  answers: ['ETag', 'Vary', 'Content-Encoding'],
  others: [304],
  failures: [400, 412, 500],
} as const;

const updateOwner = {
  tag: 'Business',
  summary: 'Update an owner: absent fields stay, null clears; the user cannot be changed',
  body: { json: UpdateOwnerBody, example: { title: 'Chair', equity: 55.5 } },
  success: BusinessOwnerAnswer,
  ...write,
} as const;

const removeOwner = {
  tag: 'Business',
  summary: 'Remove an owner, and answer it',
  body: { json: OwnerIdBody, example: {} },
  success: BusinessOwnerAnswer,
  ...write,
} as const;

/** What the document says of each operation of the route table; a row of the table without one here is an error. */
export const operations: Readonly<Record<string, OperationDescription>> = {
  listBusinesses: {
    tag: 'Business',
    summary: 'All businesses in the order of their creation, or a page of them',
    query: BusinessListQuery,
    success: t.array(BusinessAnswer),
    ...list,
  },
  getBusiness: {
    tag: 'Business',
    summary: 'A business as it is, or as it was at a revision or an instant',
    query: AsOfQuery,
    success: BusinessAnswer,
    ...read,
  },
  listBusinessEvents: {
    tag: 'Business',
    summary: 'What happened to a business, also to a deleted one, oldest first',
    query: EventsQuery,
    success: t.array(EventAnswer),
    ...list,
  },
  createBusiness: {
    tag: 'Business',
    summary: 'Create a business',
    body: {
      json: CreateBusinessBody,
      example: { name: 'Acme Inc.', displayName: 'Acme', businessType: 'C-Corp', website: 'acme.example' },
    },
    success: BusinessAnswer,
    ...create,
  },
  updateBusiness: {
    tag: 'Business',
    summary: 'Update a business: absent fields stay, null clears',
    body: { json: UpdateBusinessBody, example: { phone: '+1 555 0100', website: null } },
    success: BusinessAnswer,
    ...write,
  },
  deleteBusiness: {
    tag: 'Business',
    summary: 'Delete a business, and answer its last state',
    success: BusinessAnswer,
    ...write,
  },
  addOwner: {
    tag: 'Business',
    summary: 'Add an owner, identified by its user',
    body: { json: AddOwnerBody, example: { user: 'bob', title: 'CEO', equity: 60 } },
    success: BusinessOwnerAnswer,
    ...write,
    failures: [...writing, 409],
  },
  updateOwner: { ...updateOwner, query: OwnerIdQuery },
  updateOwnerByPath: updateOwner,
  removeOwner: { ...removeOwner, query: OwnerIdQuery },
  removeOwnerByPath: removeOwner,
  listDocuments: {
    tag: 'Document',
    summary: 'All documents in the order of their creation, or a page of them',
    query: DocumentListQuery,
    success: t.array(DocumentAnswer),
    ...list,
  },
  getDocument: {
    tag: 'Document',
    summary: 'A document as it is, or as it was at a revision or an instant',
    query: AsOfQuery,
    success: DocumentAnswer,
    ...read,
  },
  listDocumentEvents: {
    tag: 'Document',
    summary: 'What happened to a document, oldest first',
    query: EventsQuery,
    success: t.array(EventAnswer),
    ...list,
  },
  getDocumentFile: {
    tag: 'Document',
    summary: 'The file of a document, whole or a range of it, as it is or was',
    query: AsOfQuery,
    success: { mediaType: '*/*' },
    ...read,
    headers: [...read.headers, 'Range', 'If-Range'],
    answers: ['ETag', 'Content-Disposition', 'Accept-Ranges'],
    others: [206, 304],
    failures: [...conditional, 416],
  },
  createDocument: {
    tag: 'Document',
    summary: 'Create a document with its file, or, by JSON, without one',
    body: {
      json: CreateDocumentBody,
      example: { name: 'Articles', tags: ['legal', '2026'] },
      form: { codec: CreateDocumentForm, isFileRequired: true, example: { name: 'Articles', tags: 'legal,2026' } },
    },
    success: DocumentAnswer,
    ...create,
  },
  updateDocument: {
    tag: 'Document',
    summary: 'Update a document: absent fields stay, null clears, a file replaces the one before it',
    body: {
      json: UpdateDocumentBody,
      example: { description: 'As filed', tags: null },
      form: { codec: UpdateDocumentForm, isFileRequired: false, example: { description: 'As filed' } },
    },
    success: DocumentAnswer,
    ...write,
  },
  livez: { ...open, summary: 'Whether the process lives', success: HealthAnswer },
  readyz: {
    ...open,
    summary: 'Whether the service can do its work, and what to look after',
    success: ReadinessAnswer,
    failures: [500, 503],
  },
  metrics: {
    ...open,
    summary: 'Figures of the process',
    success: { mediaType: 'text/plain' },
    failures: [401, 500, 503],
  },
  openApi: { ...page, summary: 'This document', success: t.UnknownRecord },
  docs: { ...page, summary: 'This document to read and to try', success: { mediaType: 'text/html' } },
  docsAsset: {
    ...page,
    summary: 'Scripts and styles of that page',
    success: { mediaType: '*/*' },
    failures: [...page.failures, 404],
  },
};
