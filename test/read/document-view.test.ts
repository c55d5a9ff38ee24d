import { expect } from 'chai';
import type { Document } from '../../src/domain/document/state.js';
import { renderDocument } from '../../src/read/document-view.js';

const document: Document = {
  fields: { name: 'Contract', description: null, tags: [], type: 'Offer', entityType: 'Lead', entity: null },
  createdType: 'Image',
  file: null,
  uploaded: null,
  generated: { by: 'alice', at: '2026-01-01T00:00:00.000Z' },
};

describe('a document as answered', () => {
  it('has every key, null for the file while there is none', () => {
    expect(renderDocument('d1', document)).to.equal(
      '{"_id":"d1","type":"Offer","entityType":"Lead","entity":null,"tags":[],"name":"Contract","originalName":null,' +
        '"description":null,"uploadedBy":null,"uploadedAt":null,"generatedBy":"alice",' +
        '"generatedAt":"2026-01-01T00:00:00.000Z","mimeType":null,"size":null}',
    );
  });

  it('shows the file by name, type and size, and never where it is kept', () => {
    const body = renderDocument('d1', {
      fields: { ...document.fields, description: 'ż', tags: ['b', 'a'], entity: 'e1' },
      createdType: 'Offer',
      file: { key: 'documents/d1/f1', size: 0, sha256: 'aa', mimeType: 'text/plain', originalName: 'ä.txt' },
      uploaded: { by: 'bob', at: '2026-01-02T00:00:00.000Z' },
      generated: null,
    });
    expect(JSON.parse(body)).to.deep.equal({
      _id: 'd1',
      type: 'Offer',
      entityType: 'Lead',
      entity: 'e1',
      tags: ['b', 'a'],
      name: 'Contract',
      originalName: 'ä.txt',
      description: 'ż',
      uploadedBy: 'bob',
      uploadedAt: '2026-01-02T00:00:00.000Z',
      generatedBy: null,
      generatedAt: null,
      mimeType: 'text/plain',
      size: 0,
    });
  });
});
