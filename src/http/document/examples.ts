import type { JsonSchema } from '../fields/json-schema.js';

/** Answers about a document, as a test compares them with what is answered. Ids, times and hashes differ. */
export const documentExample = {
  _id: '01a20b48-b9d0-77b3-ab4a-19d879e76525',
  type: 'Document',
  entityType: 'Document',
  entity: null,
  tags: ['legal', '2026'],
  name: 'Articles',
  originalName: 'articles.pdf',
  description: null,
  uploadedBy: 'alice',
  uploadedAt: '2026-11-24T02:00:45.325Z',
  generatedBy: null,
  generatedAt: null,
  mimeType: 'application/pdf',
  size: 9,
  createdAt: '2026-11-24T02:00:45.325Z',
  updatedAt: '2026-11-24T02:00:45.325Z',
  revision: 0,
};

export const changedDocumentExample = {
  ...documentExample,
  ...{ tags: [], description: 'As filed', updatedAt: '2026-11-24T02:00:45.571Z', revision: 1 },
};

export const historyExample: ReadonlyArray<JsonSchema> = [
  {
    _id: '01a20b48-b9d0-7049-8e9f-b9e24ca1b700',
    type: 'created',
    message: 'document created with a file',
    user: 'alice',
    entity: '01a20b48-b9d0-77b3-ab4a-19d879e76525',
    entityType: 'Document',
    refs: [],
    name: 'DocumentCreated',
    at: '2026-11-24T02:00:45.325Z',
    revision: 0,
    hash: 'd72996101447bccd018f17d771cade615cc9c13d0e4d941c880c93ba4546cd9b',
    data: {
      description: null,
      entity: null,
      entityType: 'Document',
      file: {
        key: 'documents/01a20b48-b9d0-77b3-ab4a-19d879e76525/01a20b48-b9df-7626-868c-d2acb2553f9e',
        mimeType: 'application/pdf',
        originalName: 'articles.pdf',
        sha256: '0716f9264c9fe19f5d7455276107f3ddcc1d3497f63d60689a73558ae8a1bf5e',
        size: 9,
      },
      name: 'Articles',
      tags: ['legal', '2026'],
      type: 'Document',
    },
  },
  {
    _id: '01a20b48-bb03-775f-bd5c-f4bf7c54b000',
    type: 'updated',
    message: 'description and tags updated',
    user: 'alice',
    entity: '01a20b48-b9d0-77b3-ab4a-19d879e76525',
    entityType: 'Document',
    refs: [],
    name: 'DocumentUpdated',
    at: '2026-11-24T02:00:45.571Z',
    revision: 1,
    hash: 'fd61c75714a0c5ecf50e5a62f2433576cbd6b0398a1ca0e628ed745b70461ac5',
    data: { changes: { description: 'As filed', tags: [] } },
  },
];
