import { DocumentEvent, type DocumentFields, type StoredFile } from '../src/domain/document/events.js';
import { documentSerde } from '../src/domain/document/serde.js';
import { type Document, type DocumentState, evolveDocument, initialDocument } from '../src/domain/document/state.js';
import { renderDocument } from '../src/read/document-view.js';
import type { DocumentFilter } from '../src/read/queries.js';
import {
  arrayLiteral,
  type Cell,
  type Columns,
  type KeyColumn,
  keysOf,
  type Projection,
  type RowContent,
} from './projection.js';

type DocumentBody = DocumentFields & {
  readonly uploadedBy: string | null;
  readonly uploadedAt: string | null;
  readonly generatedBy: string | null;
  readonly generatedAt: string | null;
};

/** What the body does not show: where the file is, and what `entityType` falls back to. */
type Kept = Pick<Document, 'createdType' | 'file'>;

type DocumentColumns = Columns<keyof DocumentFilter, DocumentState>;

const column = (
  name: string,
  cellOf: (document: Document) => Cell,
  type: KeyColumn<DocumentState>['type'] = 'text',
): DocumentColumns[keyof DocumentFilter] => ({
  name,
  type,
  cellOf: (state) => (state._tag === 'Current' ? cellOf(state) : null),
});

const columns: DocumentColumns = {
  type: column('type', ({ fields }) => fields.type),
  entityType: column('entity_type', ({ fields }) => fields.entityType),
  entity: column('entity', ({ fields }) => fields.entity),
  uploadedBy: column('uploaded_by', ({ uploaded }) => uploaded?.by ?? null),
  tag: column('tags', ({ fields }) => arrayLiteral(fields.tags), 'text[]'),
};

const contentOf = (id: string, state: DocumentState): RowContent => {
  if (state._tag !== 'Current') return { body: null, kept: null };
  const kept: Kept = { createdType: state.createdType, file: state.file };
  return { body: renderDocument(id, state), kept: JSON.stringify(kept) };
};

// reason: the text is what `contentOf` of this very version wrote
const keptOf = (kept: string): Kept => JSON.parse(kept) as Kept;

/** The current file as a row keeps it; null while the document has none. */
export const fileOfKept = (kept: string): StoredFile | null => keptOf(kept).file;

const stamp = (by: string | null, at: string | null): Document['uploaded'] =>
  by === null || at === null ? null : { by, at };

const stateOf = ({ body, kept }: RowContent): DocumentState => {
  if (body === null || kept === null) return initialDocument;
  // reason: the text is what `renderDocument` of this very version wrote
  const shown = JSON.parse(body) as DocumentBody;
  const { type, entityType, entity, tags, name, description } = shown;
  return {
    _tag: 'Current',
    fields: { type, entityType, entity, tags, name, description },
    uploaded: stamp(shown.uploadedBy, shown.uploadedAt),
    generated: stamp(shown.generatedBy, shown.generatedAt),
    ...keptOf(kept),
  };
};

export const documents: Projection<DocumentState, DocumentEvent> = {
  name: 'documents',
  category: 'document',
  shape: 1,
  eventTypes: DocumentEvent.types.map(({ props }) => props.type.value),
  serde: documentSerde,
  initialState: initialDocument,
  evolve: evolveDocument,
  keys: keysOf(columns),
  contentOf,
  stateOf,
};
