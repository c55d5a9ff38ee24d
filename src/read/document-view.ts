import type { Document, DocumentState } from '../domain/document/state.js';
import type { Comparison } from './event-diffs.js';

const documentView = (id: string, { fields, file, uploaded, generated }: Document) => ({
  _id: id,
  type: fields.type,
  entityType: fields.entityType,
  entity: fields.entity,
  tags: fields.tags,
  name: fields.name,
  originalName: file?.originalName ?? null,
  description: fields.description,
  uploadedBy: uploaded?.by ?? null,
  uploadedAt: uploaded?.at ?? null,
  generatedBy: generated?.by ?? null,
  generatedAt: generated?.at ?? null,
  mimeType: file?.mimeType ?? null,
  size: file?.size ?? null,
});

/** The JSON text of a document as every GET and every change gives it. */
export const renderDocument = (id: string, document: Document): string => JSON.stringify(documentView(id, document));

/** What changes of a document, and the SHA-256 of its file, which may be all that tells it from the one before. */
export const documentComparison: Comparison<DocumentState> = {
  recordOf: (id, state) => {
    if (state._tag !== 'Current') return undefined;
    const { _id, ...shown } = documentView(id, state);
    return { ...shown, sha256: state.file?.sha256 ?? null };
  },
  identifiedBy: {},
};
