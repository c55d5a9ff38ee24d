import { expect } from 'chai';
import type { DocumentEvent } from '../../../src/domain/document/events.js';
import {
  attachmentOf,
  type DocumentState,
  evolveDocument,
  initialDocument,
} from '../../../src/domain/document/state.js';
import { aDocumentCreated, aDocumentUpdated, aStoredFile } from '../../support/document-events.js';

const fields = {
  name: 'Contract',
  description: null,
  tags: ['a'],
  type: 'Offer',
  entityType: 'Lead',
  entity: 'e1',
} as const;

const atMinute = (minute: number) => ({
  actor: `user${minute}`,
  at: `2026-01-01T00:0${minute}:00.000Z`,
  revision: minute,
});
const stamp = (minute: number) => ({ by: `user${minute}`, at: `2026-01-01T00:0${minute}:00.000Z` });

/** The first event happens in minute 0, the second one in minute 1, and so on. */
const fold = (...events: ReadonlyArray<DocumentEvent>): DocumentState =>
  events.reduce((state, event, minute) => evolveDocument(state, event, atMinute(minute)), initialDocument);

describe('the state of a document', () => {
  it('says who made a record without an upload, and when', () => {
    expect(fold({ type: 'DocumentCreated', data: { ...fields, file: null } })).to.deep.equal({
      _tag: 'Current',
      fields,
      createdType: 'Offer',
      file: null,
      uploaded: null,
      generated: stamp(0),
    });
  });

  it('says who uploaded its file, and when', () => {
    const file = aStoredFile();
    expect(fold({ type: 'DocumentCreated', data: { ...fields, file } })).to.deep.equal({
      _tag: 'Current',
      fields,
      createdType: 'Offer',
      file,
      uploaded: stamp(0),
      generated: null,
    });
  });

  it('takes the stamp of a new file, and keeps that of its creation', () => {
    const file = aStoredFile();
    expect(
      fold(
        { type: 'DocumentCreated', data: { ...fields, file: null } },
        { type: 'DocumentUpdated', data: { changes: {}, file } },
      ),
    ).to.deep.equal({
      _tag: 'Current',
      fields,
      createdType: 'Offer',
      file,
      uploaded: stamp(1),
      generated: stamp(0),
    });
  });

  it('merges changes, null included, and keeps file, stamps and the type it was created with', () => {
    const file = aStoredFile();
    const changes = { type: 'Image', tags: [], entity: null } as const;
    expect(
      fold({ type: 'DocumentCreated', data: { ...fields, file } }, { type: 'DocumentUpdated', data: { changes } }),
    ).to.deep.equal({
      _tag: 'Current',
      fields: { ...fields, ...changes },
      createdType: 'Offer',
      file,
      uploaded: stamp(0),
      generated: null,
    });
  });

  it('is not touched by an update before its creation or by a second creation', () => {
    expect(fold(aDocumentUpdated())).to.equal(initialDocument);
    const current = fold(aDocumentCreated());
    expect(evolveDocument(current, aDocumentCreated(), atMinute(1))).to.equal(current);
  });

  it('is attached to its entity, or to nothing', () => {
    expect(attachmentOf(fields)).to.deep.equal({ entity: 'e1', entityType: 'Lead' });
    expect(attachmentOf({ ...fields, entity: null })).to.equal(undefined);
  });
});
