import { option as O } from 'fp-ts';
import { documents } from '../../projections/documents.js';
import type { DocumentCommand } from '../domain/document/commands.js';
import { documentDecider } from '../domain/document/decide.js';
import type { DocumentEvent } from '../domain/document/events.js';
import type { DocumentRejection } from '../domain/document/rejections.js';
import { documentSerde } from '../domain/document/serde.js';
import type { DocumentState } from '../domain/document/state.js';
import { describeDocumentEvent } from '../read/describe-document-event.js';
import { renderDocument } from '../read/document-view.js';
import type { EntityDefinitionOf } from './entity-definition.js';

export const document: EntityDefinitionOf<DocumentState, DocumentCommand, DocumentEvent, DocumentRejection> = {
  name: 'Document',
  category: 'document',
  decider: documentDecider,
  serde: documentSerde,
  describe: describeDocumentEvent,
  render: (id, state) => (state._tag === 'Current' ? O.some(renderDocument(id, state)) : O.none),
  projection: documents,
};
