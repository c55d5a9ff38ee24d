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

/** Made by JSON, and given its file by itself. */
export const filedDocumentExample = {
  ...documentExample,
  ...{ generatedBy: 'alice', generatedAt: '2026-11-24T02:00:45.325Z' },
  ...{ uploadedAt: '2026-11-24T02:00:45.571Z', updatedAt: '2026-11-24T02:00:45.571Z', revision: 1 },
};

export const deletedDocumentExample = {
  ...changedDocumentExample,
  ...{ updatedAt: '2026-11-24T02:00:45.633Z', revision: 2 },
};

export const restoredDocumentExample = {
  ...changedDocumentExample,
  ...{ updatedAt: '2026-11-24T02:00:45.671Z', revision: 3 },
};

export const revertedDocumentExample = {
  ...documentExample,
  ...{ updatedAt: '2026-11-24T02:00:45.702Z', revision: 4 },
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
  {
    _id: '01a20b48-bb41-7d11-9c5e-7f8091a2b300',
    type: 'deleted',
    message: 'document deleted',
    user: 'alice',
    entity: '01a20b48-b9d0-77b3-ab4a-19d879e76525',
    entityType: 'Document',
    refs: [],
    name: 'DocumentDeleted',
    at: '2026-11-24T02:00:45.633Z',
    revision: 2,
    hash: '9c5e7f8091a2b3c4d5e6f70a1b2c3d4e5f60718293a4b5c6d7e8f9010b1f2e6d',
    data: {},
  },
  {
    _id: '01a20b48-bb67-7a3e-8d4f-60718293a400',
    type: 'created',
    message: 'document restored',
    user: 'alice',
    entity: '01a20b48-b9d0-77b3-ab4a-19d879e76525',
    entityType: 'Document',
    refs: [],
    name: 'DocumentRestored',
    at: '2026-11-24T02:00:45.671Z',
    revision: 3,
    hash: '8d4f60718293a4b5c6d7e8f9010b1f2e6d9c5e7f8091a2b3c4d5e6f70a1b2c3d',
    data: {},
  },
  {
    _id: '01a20b48-bb86-7b4c-9e5f-718293a4b500',
    type: 'updated',
    message: 'description and tags reverted to revision 0',
    user: 'alice',
    entity: '01a20b48-b9d0-77b3-ab4a-19d879e76525',
    entityType: 'Document',
    refs: [],
    name: 'DocumentReverted',
    at: '2026-11-24T02:00:45.702Z',
    revision: 4,
    hash: '9e5f718293a4b5c6d7e8f9010b1f2e6d9c5e7f8091a2b3c4d5e6f70a1b2c3d4e',
    data: { changes: { description: null, tags: ['legal', '2026'] }, to: 0 },
  },
];
