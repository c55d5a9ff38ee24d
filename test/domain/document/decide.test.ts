import { expect } from 'chai';
import type { DocumentCommand } from '../../../src/domain/document/commands.js';
import { documentDecider } from '../../../src/domain/document/decide.js';
import type { StoredFile } from '../../../src/domain/document/events.js';
import { aDocumentCreated, aStoredFile, type DocumentEventOf } from '../../support/document-events.js';
import { given } from '../../support/given.js';

const givenDocument = given(documentDecider);

type Created = DocumentEventOf<'DocumentCreated'>['data'];

const plain: Created = {
  name: 'Contract',
  description: null,
  tags: ['a', 'b'],
  type: 'Offer',
  entityType: 'Lead',
  entity: null,
  file: null,
};
const created = (over: Partial<Created> = {}) => ({ type: 'DocumentCreated', data: { ...plain, ...over } }) as const;
const attached = created({ entity: 'e1' });
const file: StoredFile = { key: 'k1', size: 3, sha256: 'aa', mimeType: 'text/plain', originalName: 'ä.txt' };

const create = (fields: object = {}, stored: StoredFile | null = null): DocumentCommand => ({
  _tag: 'CreateDocument',
  fields: { name: 'Contract', ...fields },
  file: stored,
});
const update = (changes: object, stored?: StoredFile): DocumentCommand => ({
  _tag: 'UpdateDocument',
  changes,
  file: stored,
});
const revert = (
  fields: object,
  content?: Extract<DocumentCommand, { _tag: 'RevertDocument' }>['content'],
): DocumentCommand => ({ _tag: 'RevertDocument', to: 0, fields, content });

describe('deciding on a document', () => {
  describe('to create it', () => {
    it('records the defaults of what is absent', () => {
      givenDocument()
        .when(create())
        .thenEvents(created({ tags: [], type: 'Document', entityType: 'Document' }));
    });

    it('records the defaults of what is null', () => {
      givenDocument()
        .when(create({ description: null, type: null, entityType: null, entity: null }))
        .thenEvents(created({ tags: [], type: 'Document', entityType: 'Document' }));
    });

    it('takes the type for the entity type, unless that is given', () => {
      givenDocument()
        .when(create({ type: 'Image' }))
        .thenEvents(created({ tags: [], type: 'Image', entityType: 'Image' }));
      givenDocument()
        .when(create({ type: 'Image', entityType: 'Lead' }))
        .thenEvents(created({ tags: [], type: 'Image', entityType: 'Lead' }));
    });

    it('records all that is given, and the file', () => {
      givenDocument()
        .when(create({ description: 'd', tags: ['ż'], type: 'Offer', entityType: 'Lead', entity: 'e1' }, file))
        .thenEvents(created({ description: 'd', tags: ['ż'], entity: 'e1', file }));
    });

    it('refuses a second time', () => {
      givenDocument(aDocumentCreated()).when(create()).thenRejected({ _tag: 'DocumentAlreadyExists' });
    });
  });

  describe('to update it', () => {
    it('refuses before it was created', () => {
      givenDocument()
        .when(update({ name: 'x' }))
        .thenRejected({ _tag: 'DocumentNotFound' });
      givenDocument().when(update({}, aStoredFile())).thenRejected({ _tag: 'DocumentNotFound' });
      givenDocument().when(update({})).thenRejected({ _tag: 'DocumentNotFound' });
    });

    it('is refused because it is not there by that alone', () => {
      expect(documentDecider.isAbsence({ _tag: 'DocumentNotFound' })).to.equal(true);
      expect(documentDecider.isAbsence({ _tag: 'DocumentAlreadyExists' })).to.equal(false);
    });

    it('records those of the given fields that differ', () => {
      givenDocument(created())
        .when(update({ name: 'Contract', description: 'new', type: 'Image' }))
        .thenEvents({ type: 'DocumentUpdated', data: { changes: { description: 'new', type: 'Image' } } });
    });

    it('clears what is null', () => {
      givenDocument(created({ description: 'old' }))
        .when(update({ description: null }))
        .thenEvents({ type: 'DocumentUpdated', data: { changes: { description: null } } });
    });

    it('finds nothing to do when all is as wanted, absent or undefined', () => {
      givenDocument(created({ file }))
        .when(update({ name: 'Contract', tags: ['a', 'b'], description: null, entity: undefined, type: 'Offer' }))
        .thenNothing();
      givenDocument(created()).when(update({})).thenNothing();
    });

    it('restores the default type for null', () => {
      givenDocument(created())
        .when(update({ type: null }))
        .thenEvents({ type: 'DocumentUpdated', data: { changes: { type: 'Document' } } });
      givenDocument(created({ type: 'Document' }))
        .when(update({ type: null }))
        .thenNothing();
    });

    it('restores the type it was created with as entity type for null, whatever the type is now', () => {
      givenDocument(created(), { type: 'DocumentUpdated', data: { changes: { type: 'Image' } } })
        .when(update({ entityType: null }))
        .thenEvents({ type: 'DocumentUpdated', data: { changes: { entityType: 'Offer' } } });
    });

    it('keeps the entity type when the type changes', () => {
      givenDocument(created({ type: 'Image', entityType: 'Image' }))
        .when(update({ type: 'Offer' }))
        .thenEvents({ type: 'DocumentUpdated', data: { changes: { type: 'Offer' } } });
    });

    for (const tags of [[], ['a'], ['b', 'a'], ['a', 'b', 'c'], ['a', 'B']])
      it(`records the tags [${tags.join()}] in place of [a,b]`, () => {
        givenDocument(created())
          .when(update({ tags }))
          .thenEvents({ type: 'DocumentUpdated', data: { changes: { tags } } });
      });
  });

  describe('to replace its file', () => {
    it('records the first file of a record made without one', () => {
      givenDocument(created())
        .when(update({}, file))
        .thenEvents({ type: 'DocumentUpdated', data: { changes: {}, file } });
    });

    it('finds nothing to do for the same bytes, name and type under another key', () => {
      givenDocument(created({ file }))
        .when(update({}, { ...file, key: 'k2' }))
        .thenNothing();
    });

    for (const change of [{ sha256: 'bb' }, { originalName: 'b.txt' }, { mimeType: 'text/html' }])
      it(`records a file that differs in ${Object.keys(change).join()}`, () => {
        const other = { ...file, key: 'k2', ...change };
        givenDocument(created({ file }))
          .when(update({}, other))
          .thenEvents({ type: 'DocumentUpdated', data: { changes: {}, file: other } });
      });

    it('records fields and file as one event', () => {
      const other = { ...file, key: 'k2', sha256: 'bb' };
      givenDocument(created({ file }))
        .when(update({ name: 'New' }, other))
        .thenEvents({ type: 'DocumentUpdated', data: { changes: { name: 'New' }, file: other } });
    });

    it('records the fields alone when the file is the same again', () => {
      givenDocument(created({ file }))
        .when(update({ name: 'New' }, { ...file, key: 'k2' }))
        .thenEvents({ type: 'DocumentUpdated', data: { changes: { name: 'New' } } });
    });
  });

  describe('on what it is attached to', () => {
    it('names it in every update', () => {
      givenDocument(attached)
        .when(update({ name: 'New' }))
        .thenEvents({
          type: 'DocumentUpdated',
          data: { changes: { name: 'New' }, attachedTo: { entity: 'e1', entityType: 'Lead' } },
        });
    });

    it('names the new one when it is attached for the first time', () => {
      givenDocument(created())
        .when(update({ entity: 'e1' }))
        .thenEvents({
          type: 'DocumentUpdated',
          data: { changes: { entity: 'e1' }, attachedTo: { entity: 'e1', entityType: 'Lead' } },
        });
    });

    it('names the old and the new one when it is moved', () => {
      givenDocument(attached)
        .when(update({ entity: 'e2', entityType: 'User' }))
        .thenEvents({
          type: 'DocumentUpdated',
          data: {
            changes: { entity: 'e2', entityType: 'User' },
            attachedTo: { entity: 'e2', entityType: 'User' },
            detachedFrom: { entity: 'e1', entityType: 'Lead' },
          },
        });
    });

    it('is moved when only the kind of the entity changes', () => {
      givenDocument(attached)
        .when(update({ entityType: 'User' }))
        .thenEvents({
          type: 'DocumentUpdated',
          data: {
            changes: { entityType: 'User' },
            attachedTo: { entity: 'e1', entityType: 'User' },
            detachedFrom: { entity: 'e1', entityType: 'Lead' },
          },
        });
    });

    it('names the old one alone when it is detached', () => {
      givenDocument(attached)
        .when(update({ entity: null }))
        .thenEvents({
          type: 'DocumentUpdated',
          data: { changes: { entity: null }, detachedFrom: { entity: 'e1', entityType: 'Lead' } },
        });
    });
  });

  describe('to delete and to restore it', () => {
    const remove: DocumentCommand = { _tag: 'DeleteDocument' };
    const restore: DocumentCommand = { _tag: 'RestoreDocument' };
    const deleted = { type: 'DocumentDeleted', data: {} } as const;
    const restored = { type: 'DocumentRestored', data: {} } as const;

    it('records either, each time', () => {
      givenDocument(attached).when(remove).thenEvents(deleted);
      givenDocument(attached, deleted).when(restore).thenEvents(restored);
      givenDocument(attached, deleted, restored).when(remove).thenEvents(deleted);
      givenDocument(attached, deleted, restored, deleted).when(restore).thenEvents(restored);
    });

    it('refuses either before it was created, and all but a restore of a deleted one', () => {
      for (const command of [remove, restore, revert({})])
        givenDocument().when(command).thenRejected({ _tag: 'DocumentNotFound' });
      for (const command of [remove, revert({}), revert({}, { file: null, uploaded: null }), update({ name: 'x' })])
        givenDocument(attached, deleted).when(command).thenRejected({ _tag: 'DocumentNotFound' });
      givenDocument(attached, deleted).when(create()).thenRejected({ _tag: 'DocumentAlreadyExists' });
    });

    it('finds nothing to restore where it is not deleted', () => {
      givenDocument(attached).when(restore).thenNothing();
    });
  });

  describe('to revert it', () => {
    const uploaded = { by: 'ann', at: '2026-01-02T03:04:05.678Z' };

    it('records the revision, and those of its values that differ', () => {
      givenDocument(created())
        .when(revert({ name: 'Contract', tags: ['b', 'a'], description: null, type: 'Image' }))
        .thenEvents({ type: 'DocumentReverted', data: { to: 0, changes: { tags: ['b', 'a'], type: 'Image' } } });
    });

    it('records the file with who uploaded it, and that there was none', () => {
      givenDocument(created())
        .when(revert({}, { file, uploaded }))
        .thenEvents({ type: 'DocumentReverted', data: { to: 0, changes: {}, file, uploaded } });
      givenDocument(created({ file }))
        .when(revert({}, { file: null, uploaded: null }))
        .thenEvents({ type: 'DocumentReverted', data: { to: 0, changes: {}, file: null, uploaded: null } });
    });

    it('takes the same content under another key for another file', () => {
      const other = { ...file, key: 'k2' };
      givenDocument(created({ file }))
        .when(revert({}, { file: other, uploaded }))
        .thenEvents({ type: 'DocumentReverted', data: { to: 0, changes: {}, file: other, uploaded } });
    });

    it('names what it is attached to, and what it was attached to when that changes', () => {
      const lead = { entity: 'e1', entityType: 'Lead' } as const;
      givenDocument(attached)
        .when(revert({ name: 'x' }))
        .thenEvents({ type: 'DocumentReverted', data: { to: 0, changes: { name: 'x' }, attachedTo: lead } });
      givenDocument(attached)
        .when(revert({ entity: null }))
        .thenEvents({ type: 'DocumentReverted', data: { to: 0, changes: { entity: null }, detachedFrom: lead } });
    });

    it('finds nothing to do when all is as it was', () => {
      givenDocument(created({ file }))
        .when(revert({ name: 'Contract', tags: ['a', 'b'] }, { file, uploaded }))
        .thenNothing();
      givenDocument(created())
        .when(revert({}, { file: null, uploaded: null }))
        .thenNothing();
    });
  });
});
