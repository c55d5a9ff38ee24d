import type { Document } from '../domain/document/state.js';

/** The JSON text of a document as every GET and every change gives it. */
export const renderDocument = (id: string, { fields, file, uploaded, generated }: Document): string =>
  JSON.stringify({
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
