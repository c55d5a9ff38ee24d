import type { DocumentEvent } from '../domain/document/events.js';
import { attachmentOf } from '../domain/document/state.js';
import { type Description, enumerate, type Ref } from './ref.js';

const given = (...refs: ReadonlyArray<Ref | undefined>): ReadonlyArray<Ref> => refs.filter((ref) => ref !== undefined);

/** The members whose values a description contains. */
export const shownOfDocumentEvents = ['entity', 'entityType'];

export const describeDocumentEvent = (event: DocumentEvent): Description => {
  switch (event.type) {
    case 'DocumentCreated': {
      const message = event.data.file === null ? 'document created' : 'document created with a file';
      return { type: 'created', message, refs: given(attachmentOf(event.data)) };
    }
    case 'DocumentUpdated': {
      const { changes, file, detachedFrom, attachedTo } = event.data;
      const names = [...(file === undefined ? [] : ['file']), ...Object.keys(changes)];
      return { type: 'updated', message: `${enumerate(names)} updated`, refs: given(detachedFrom, attachedTo) };
    }
  }
};
