import type { DocumentUseCases } from '../../application/document/use-cases.js';
import type { EntityReads } from '../../read/entity-reads.js';
import type { DocumentFilter } from '../../read/queries.js';
import { admins, auditors, editors, viewers } from '../authentication/roles.js';
import { linkRows } from '../link/link-rows.js';
import type { Links } from '../link/links.js';
import { readAsOf } from '../parameters/as-of.js';
import { API } from '../paths.js';
import { getRecord } from '../record/get-record.js';
import { listEvents } from '../record/list-events.js';
import { linkEventsRows } from '../record/link-events.js';
import { listRecords } from '../record/list-records.js';
import { describedBy, recordedReadsOf, type Route, rowOf } from '../route.js';
import { createDocument, deleteDocument, putDocumentFile, updateDocument } from './change-document.js';
import { documentListParameters, documentOperations, linkedAs } from './operations.js';
import { withDocumentRejections } from './rejections.js';
import { restoreDocumentById, revertDocumentById, type UndoingOfDocuments } from './undo-document.js';
import { type FileReads, getFile } from './file/get-file.js';
import { getLinkedFile, grantFile } from './file/link-file.js';

const all = `${API}/document`;
const one = `${all}/:id`;

type DocumentReads = EntityReads<DocumentFilter> & FileReads;

type Documents = DocumentUseCases & DocumentReads & UndoingOfDocuments;

type DocumentOptions = {
  /** Whether the list may be read without a token. */
  readonly isListPublic: boolean;
  /** Largest file, bytes. */
  readonly maxUploadBytes: number;
  /** Undefined: no links are made. */
  readonly links?: Links | undefined;
};

const { always, past, preview } = recordedReadsOf('Document');
const file = { ...always, form: 'file' } as const;

const described = describedBy(documentOperations);
const row = rowOf(documentOperations, { absent: 'document_not_found' });

const reading = (documents: DocumentReads, { isListPublic }: DocumentOptions): ReadonlyArray<Route> => [
  {
    ...row('listDocuments', 'GET', all, viewers),
    access: isListPublic ? 'optional token' : 'token',
    handle: listRecords({ read: documentListParameters.read, reads: documents }),
  },
  { ...row('getDocument', 'GET', one, viewers), past: auditors, recorded: past, handle: getRecord(documents) },
  { ...row('listDocumentEvents', 'GET', `${one}/events`, auditors), recorded: always, handle: listEvents(documents) },
  {
    ...row('getDocumentFile', 'GET', `${one}/file`, viewers),
    past: auditors,
    recorded: file,
    handle: getFile(documents),
  },
];

const linking = (documents: DocumentReads, { links }: DocumentOptions): ReadonlyArray<Route> => [
  ...linkRows(links, {
    purpose: linkedAs.file,
    making: { ...row('linkDocumentFile', 'POST', `${one}/link`, viewers), past: auditors },
    wanted: readAsOf,
    grant: grantFile(documents),
    using: described('getLinkedDocumentFile'),
    recorded: file,
    read: getLinkedFile(documents),
  }),
  ...linkEventsRows(links, documents, {
    purpose: linkedAs.events,
    making: row('linkDocumentEvents', 'POST', `${one}/events/link`, auditors),
    using: described('followLinkedDocumentEvents'),
    recorded: always,
  }),
];

const changing = (documents: Documents, { maxUploadBytes }: DocumentOptions): ReadonlyArray<Route> => {
  const create = withDocumentRejections(createDocument(documents, maxUploadBytes));
  const restore = withDocumentRejections(restoreDocumentById(documents));
  const revert = withDocumentRejections(revertDocumentById(documents));
  const update = withDocumentRejections(updateDocument(documents, maxUploadBytes));
  const putFile = withDocumentRejections(putDocumentFile(documents, maxUploadBytes));
  return [
    { ...row('createDocument', 'POST', all, editors), handle: create },
    { ...row('updateDocument', 'PUT', one, editors), handle: update },
    { ...row('putDocumentFile', 'PUT', `${one}/file`, editors), handle: putFile },
    { ...row('deleteDocument', 'DELETE', one, admins), handle: withDocumentRejections(deleteDocument(documents)) },
    { ...row('restoreDocument', 'POST', `${one}/restore`, admins), recorded: preview, handle: restore },
    { ...row('revertDocument', 'POST', `${one}/revert`, editors), recorded: preview, handle: revert },
  ];
};

export const documentRoutes = (documents: Documents, options: DocumentOptions): ReadonlyArray<Route> => [
  ...reading(documents, options),
  ...linking(documents, options),
  ...changing(documents, options),
];
