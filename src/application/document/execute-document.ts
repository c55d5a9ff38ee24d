import type { Json } from '../../event-sourcing/canonical-json.js';
import type { StreamName } from '../../event-sourcing/recorded-event.js';
import type { DocumentCommand } from '../../domain/document/commands.js';
import type { StoredFile } from '../../domain/document/events.js';
import type { DocumentRejection } from '../../domain/document/rejections.js';
import type { DocumentState } from '../../domain/document/state.js';
import type { Execute } from '../execute.js';

export type ExecuteDocument = Execute<DocumentState, DocumentCommand, DocumentRejection>;

export const documentStream = (documentId: string): StreamName => `document-${documentId}`;

/** What makes two requests the same one: everything but the key of the file, which is new with each upload. */
export const requestOf = (documentId: string, fields: Json, file: StoredFile | null | undefined): Json => {
  if (file === null || file === undefined) return { documentId, fields };
  const { key: _key, ...content } = file;
  return { documentId, fields, file: content };
};
