import type { EntityKind } from '../shared/entity-kind.js';
import type { Occurrence } from '../../event-sourcing/decider.js';
import type { Attachment, DocumentEvent, DocumentFields, Stamp, StoredFile } from './events.js';

export type Document = {
  readonly fields: DocumentFields;
  /** `type` at creation: what `entityType` falls back to. */
  readonly createdType: EntityKind;
  readonly file: StoredFile | null;
  /** Of the current file. */
  readonly uploaded: Stamp | null;
  /** Of a record that was made without an upload. */
  readonly generated: Stamp | null;
};

export type DocumentState =
  | { readonly _tag: 'NotCreated' }
  | ({ readonly _tag: 'Current' } & Document)
  | ({ readonly _tag: 'Deleted' } & Document)
  | { readonly _tag: 'Erased' };

export const initialDocument: DocumentState = { _tag: 'NotCreated' };

/** What a document with these fields is attached to. */
export const attachmentOf = ({ entity, entityType }: DocumentFields): Attachment | undefined =>
  entity === null ? undefined : { entity, entityType };

/** Total: an event that does not fit the state leaves it as it is. */
export const evolveDocument = (
  state: DocumentState,
  event: DocumentEvent,
  { actor, at }: Occurrence,
): DocumentState => {
  const stamp = { by: actor, at };
  switch (event.type) {
    case 'DocumentCreated': {
      if (state._tag !== 'NotCreated') return state;
      const { file, ...fields } = event.data;
      const [uploaded, generated] = file === null ? [null, stamp] : [stamp, null];
      return { _tag: 'Current', fields, createdType: fields.type, file, uploaded, generated };
    }
    case 'DocumentUpdated': {
      if (state._tag !== 'Current') return state;
      const { changes, file } = event.data;
      const updated = { ...state, fields: { ...state.fields, ...changes } };
      return file === undefined ? updated : { ...updated, file, uploaded: stamp };
    }
    case 'DocumentReverted': {
      if (state._tag !== 'Current') return state;
      const { changes, file, uploaded = null } = event.data;
      const reverted = { ...state, fields: { ...state.fields, ...changes } };
      return file === undefined ? reverted : { ...reverted, file, uploaded };
    }
    case 'DocumentDeleted':
      return state._tag === 'Current' ? { ...state, _tag: 'Deleted' } : state;
    case 'DocumentRestored':
      return state._tag === 'Deleted' ? { ...state, _tag: 'Current' } : state;
    case 'DocumentErased':
      return event.data.events === 'all' ? { _tag: 'Erased' } : state;
  }
};
