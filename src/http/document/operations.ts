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
  getDocumentFile: {
    tag,
    summary: 'The file of a document, whole or a range of it, as it is or was',
    query: AsOfParameters,
    success: { mediaType: '*/*' },
    requestHeaders: [...read.requestHeaders, 'Range', 'If-Range'],
    responseHeaders: ['ETag', 'Content-Disposition', 'Accept-Ranges', 'Repr-Digest'],
    otherStatuses: [206, 304],
    failures: [...read.failures, 416],
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
