import * as t from 'io-ts';
import type { DocumentFilter } from '../../read/queries.js';
import { kinds } from '../fields/kind.js';
import {
  create,
  events,
  list,
  type OperationDescription,
  read,
  write,
  writeWithoutBody,
} from '../openapi/operation-description.js';
import { fields } from '../fields/fields-type.js';
import { byLink, feedByLink, linking, linkingFeed, linkParameters } from '../link/operations.js';
import { AsOfParameters } from '../parameters/as-of.js';
import { EventsParameters } from '../parameters/events.js';
import { ExactText, listParameters, someOfParameter } from '../parameters/list.js';
import {
  CreateDocumentBody,
  CreateDocumentForm,
  RevertDocumentBody,
  UpdateDocumentBody,
  UpdateDocumentForm,
} from './body.js';
import { documentEvents } from './described-events.js';
import {
  changedDocumentExample,
  deletedDocumentExample,
  documentExample,
  filedDocumentExample,
  restoredDocumentExample,
  revertedDocumentExample,
} from './examples.js';
import { recordOrPreview } from '../record/change-preview.js';
import { UndoParameters } from '../record/undo-request.js';
import { PutFileParameters } from './file/file-name.js';
import { DocumentResponse } from './responses.js';

const tag = 'Document';

const SomeKinds = someOfParameter(kinds);

export const documentListParameters = listParameters({
  type: SomeKinds,
  entityType: SomeKinds,
  entity: ExactText,
  tag: ExactText,
  uploadedBy: ExactText,
} satisfies Record<keyof DocumentFilter, t.Mixed>);

const file = {
  success: { mediaType: '*/*' },
  requestHeaders: [...read.requestHeaders, 'Range', 'If-Range'],
  responseHeaders: ['ETag', 'Content-Disposition', 'Accept-Ranges', 'Repr-Digest'],
  otherStatuses: [206, 304],
} as const;

/** The purposes of links. */
export const linkedAs = { file: 'document/file', events: 'document/events' } as const;

/** What the API description says of each operation on documents. */
export const documentOperations = {
  listDocuments: {
    tag,
    summary: 'All documents in the order of their creation, or a page of them',
    query: documentListParameters.codec,
    success: t.array(DocumentResponse),
    example: [documentExample],
    ...list,
  },
  getDocument: {
    tag,
    summary: 'A document as it is, or as it was at a revision or an instant',
    query: AsOfParameters,
    success: DocumentResponse,
    example: documentExample,
    ...read,
  },
  listDocumentEvents: {
    tag,
    summary: 'What happened to a document, oldest first',
    query: EventsParameters,
    success: { eventsOf: documentEvents },
    ...events,
  },
  linkDocumentEvents: {
    tag,
    summary: 'A link to the feed of a document, which a browser can follow without a token until the link expires',
    ...linkingFeed(linkedAs.events),
  },
  followLinkedDocumentEvents: {
    tag,
    summary: 'What happens to a document, as Server-Sent Events, by a link',
    ...feedByLink,
  },
  getDocumentFile: {
    tag,
    summary: 'The file of a document, whole or a range of it, as it is or was',
    query: AsOfParameters,
    ...file,
    failures: [...read.failures, 416],
  },
  linkDocumentFile: {
    tag,
    summary:
      'A link to the file of a document, as it is or was, which anybody can open without a token until it expires',
    query: fields({ ...AsOfParameters.props, ...linkParameters }),
    ...linking(linkedAs.file),
  },
  getLinkedDocumentFile: {
    tag,
    summary: 'The file of a document by a link, whole or a range of it, for pages of any origin',
    ...file,
    ...byLink,
    failures: [...byLink.failures, 412, 416],
  },
  createDocument: {
    tag,
    summary: 'Create a document with its file, or, by JSON, without one',
    body: {
      json: CreateDocumentBody,
      example: { name: 'Articles', tags: ['legal', '2026'] },
      form: { codec: CreateDocumentForm, isFileRequired: true, example: { name: 'Articles', tags: 'legal,2026' } },
    },
    success: DocumentResponse,
    example: documentExample,
    ...create,
  },
  updateDocument: {
    tag,
    summary: 'Update a document: absent fields stay, null clears, a file replaces the one before it',
    body: {
      json: UpdateDocumentBody,
      example: { description: 'As filed', tags: null },
      form: {
        codec: UpdateDocumentForm,
        isFileRequired: false,
        example: { name: 'Articles', description: 'As filed' },
      },
    },
    success: DocumentResponse,
    example: changedDocumentExample,
    ...write,
  },
  putDocumentFile: {
    tag,
    summary: 'Give a document its file, or another one: the body is the file; its conditions are those of the document',
    query: PutFileParameters,
    body: { mediaType: 'application/octet-stream' },
    success: DocumentResponse,
    example: filedDocumentExample,
    ...write,
    requestHeaders: [...write.requestHeaders, 'Content-Disposition'],
  },
  deleteDocument: {
    tag,
    summary: 'Delete a document, and answer its last state; its history and its files stay readable',
    success: DocumentResponse,
    example: deletedDocumentExample,
    ...writeWithoutBody,
  },
  restoreDocument: {
    tag,
    summary: 'Make a deleted document what it was, with its file',
    query: UndoParameters,
    success: recordOrPreview(DocumentResponse),
    example: restoredDocumentExample,
    ...writeWithoutBody,
  },
  revertDocument: {
    tag,
    summary: 'Give fields of a document, or its file, back what they were at a revision',
    query: UndoParameters,
    body: { json: RevertDocumentBody, example: { revision: 0 } },
    success: recordOrPreview(DocumentResponse),
    example: revertedDocumentExample,
    ...write,
  },
} satisfies Readonly<Record<string, OperationDescription>>;
