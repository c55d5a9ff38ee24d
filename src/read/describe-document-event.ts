import type { DocumentEvent } from '../domain/document/events.js';
import { attachmentOf } from '../domain/document/state.js';
import { describeErased } from './describe-erased.js';
import { type Description, enumerate, type Ref } from './ref.js';

const given = (...refs: ReadonlyArray<Ref | undefined>): ReadonlyArray<Ref> => refs.filter((ref) => ref !== undefined);

/** What is changed by another content. */
const FILE = 'file';

/** The members whose values a description contains. */
export const shownOfDocumentEvents = ['entity', 'entityType', 'to'];

type Changed = Extract<DocumentEvent, { type: 'DocumentUpdated' | 'DocumentReverted' }>['data'];

const changed = ({ changes, file, detachedFrom, attachedTo }: Changed, what: string): Description => {
  const fields = [...(file === undefined ? [] : [FILE]), ...Object.keys(changes)];
  return { type: 'updated', message: `${enumerate(fields)} ${what}`, refs: given(detachedFrom, attachedTo), fields };
};

export const describeDocumentEvent = (event: DocumentEvent): Description => {
  switch (event.type) {
    case 'DocumentCreated': {
      const { file, ...fields } = event.data;
      const message = file === null ? 'document created' : 'document created with a file';
      const names = [...(file === null ? [] : [FILE]), ...Object.keys(fields)];
      return { type: 'created', message, refs: given(attachmentOf(event.data)), fields: names };
    }
    case 'DocumentUpdated':
      return changed(event.data, 'updated');
    case 'DocumentReverted':
      return changed(event.data, `reverted to revision ${event.data.to}`);
    case 'DocumentDeleted':
      return { type: 'deleted', message: 'document deleted', refs: [], fields: [] };
    case 'DocumentRestored':
      return { type: 'created', message: 'document restored', refs: [], fields: [] };
    case 'DocumentErased':
      return describeErased(event.data, 'document');
  }
};
