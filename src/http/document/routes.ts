import type { DocumentUseCases } from '../../application/document/use-cases.js';
import type { EntityReads } from '../../read/entity-reads.js';
import type { DocumentFilter } from '../../read/queries.js';
import { auditors, editors, viewers } from '../authentication/roles.js';
import { API } from '../paths.js';
import { getRecord } from '../record/get-record.js';
import { listEvents } from '../record/list-events.js';
import { listRecords } from '../record/list-records.js';
import type { Route } from '../route.js';
import { createDocument, updateDocument } from './change-document.js';
import { documentListParameters, documentOperations } from './operations.js';
import { withDocumentRejections } from './rejections.js';
import { type FileReads, getFile } from './file/get-file.js';

const all = `${API}/document`;
const one = `${all}/:id`;

type DocumentReads = EntityReads<DocumentFilter> & FileReads;

type DocumentOptions = {
  /** Whether the list may be read without a token. */
  readonly isListPublic: boolean;
  /** Largest file, bytes. */
  readonly maxUploadBytes: number;
};

const listing = ({ page, all: whole }: DocumentReads, { isListPublic }: DocumentOptions): Route => ({
  operation: 'listDocuments',
  description: documentOperations.listDocuments,
  method: 'GET',
  path: all,
  roles: viewers,
  access: isListPublic ? 'optional token' : 'token',
  handle: listRecords({ read: documentListParameters.read, queries: { page, all: whole } }),
});

const reading = (documents: DocumentReads): ReadonlyArray<Route> => [
  {
    operation: 'getDocument',
    description: documentOperations.getDocument,
    method: 'GET',
    path: one,
    access: 'token',
    roles: viewers,
    past: auditors,
    handle: getRecord(documents.get),
  },
  {
    operation: 'listDocumentEvents',
    description: documentOperations.listDocumentEvents,
    method: 'GET',
    path: `${one}/events`,
    access: 'token',
    roles: auditors,
    handle: listEvents(documents),
  },
  {
    operation: 'getDocumentFile',
    description: documentOperations.getDocumentFile,
    method: 'GET',
    path: `${one}/file`,
    access: 'token',
    roles: viewers,
    past: auditors,
    handle: getFile(documents),
  },
];

const changing = (documents: DocumentUseCases, { maxUploadBytes }: DocumentOptions): ReadonlyArray<Route> => [
  {
    operation: 'createDocument',
    description: documentOperations.createDocument,
    method: 'POST',
    path: all,
    access: 'token',
    roles: editors,
    handle: withDocumentRejections(createDocument(documents, maxUploadBytes)),
  },
  {
    operation: 'updateDocument',
    description: documentOperations.updateDocument,
    method: 'PUT',
    path: one,
    access: 'token',
    roles: editors,
    handle: withDocumentRejections(updateDocument(documents, maxUploadBytes)),
  },
];

export const documentRoutes = (
  documents: DocumentUseCases & DocumentReads,
  options: DocumentOptions,
): ReadonlyArray<Route> => [listing(documents, options), ...reading(documents), ...changing(documents, options)];
