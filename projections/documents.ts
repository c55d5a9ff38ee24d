import { either as E, option as O } from 'fp-ts';
import { DocumentEvent, type DocumentFields } from '../src/domain/document/events.js';
import { documentSerde } from '../src/domain/document/serde.js';
import { type Document, type DocumentState, evolveDocument, initialDocument } from '../src/domain/document/state.js';
import { canonicalJson } from '../src/event-sourcing/canonical-json.js';
import { renderDocument } from '../src/read/document-view.js';
import type {
  DocumentFilter,
  DocumentQueries,
  FileVersion,
  HiddenRow,
  HiddenStates,
  Queries,
  ReadModelUnavailable,
  RowParked,
} from '../src/read/queries.js';
import {
  arrayLiteral,
  type Cell,
  type Columns,
  type KeyColumnOf,
  HIDDEN_ERASED,
  keysOf,
  type ProjectionOf,
  type RowContent,
} from './projection.js';

type DocumentBody = DocumentFields & {
  readonly uploadedBy: string | null;
  readonly uploadedAt: string | null;
  readonly generatedBy: string | null;
  readonly generatedAt: string | null;
};

/**
 * What the body does not show: where the file is, and the type that the document was created with. `deleted`: what the body of
 * a deleted one showed, which a restore shows again.
 */
type HiddenState = Pick<Document, 'createdType' | 'file'> & { readonly deleted?: string };

type DocumentColumns = Columns<keyof DocumentFilter, DocumentState>;

const column = (
  name: string,
  cellOf: (document: Document) => Cell,
  type: KeyColumnOf<DocumentState>['type'] = 'text',
): DocumentColumns[keyof DocumentFilter] => ({
  name,
  type,
  cellOf: (state) => (state._tag === 'Current' ? cellOf(state) : null),
});

const columns: DocumentColumns = {
  entity: column('entity', ({ fields }) => fields.entity),
  uploadedBy: column('uploaded_by', ({ uploaded }) => uploaded?.by ?? null),
  type: column('type', ({ fields }) => fields.type),
  entityType: column('entity_type', ({ fields }) => fields.entityType),
  tag: column('tags', ({ fields }) => arrayLiteral(fields.tags), 'text[]'),
};

const nameColumn = { ...column('name', ({ fields }) => fields.name), sort: 'name' };

const textsOf = (state: DocumentState): ReadonlyArray<string | null> =>
  state._tag === 'Current' ? [state.fields.name, state.file?.originalName ?? null, ...state.fields.tags] : [];

const contentOf = (id: string, state: DocumentState): RowContent => {
  if (state._tag === 'NotCreated') return { body: null, hidden: null };
  if (state._tag === 'Erased') return { body: null, hidden: HIDDEN_ERASED };
  const shown = renderDocument(id, state);
  const isDeleted = state._tag === 'Deleted';
  const { createdType, file } = state;
  const hidden: HiddenState = { createdType, file, ...(isDeleted ? { deleted: shown } : {}) };
  // canonical, because a state that a command has decided has its members in another order than one that was folded
  return { body: isDeleted ? null : shown, hidden: canonicalJson(hidden) };
};

// reason: `contentOf` of the same version wrote this text
const parseHidden = (hidden: string): HiddenState => JSON.parse(hidden) as HiddenState;

const fileVersionOf = ({ hidden, revision }: HiddenRow): O.Option<FileVersion> => {
  if (hidden === HIDDEN_ERASED) return O.none;
  const { file, deleted } = parseHidden(hidden);
  return deleted === undefined ? O.some({ file, revision }) : O.none;
};

/** The queries of documents over the rows that this projection writes. */
export const documentQueries = ({
  hiddenState,
  ...queries
}: Queries<DocumentFilter> & HiddenStates): DocumentQueries => ({
  ...queries,
  fileOf: async (id, asNoted) =>
    E.bimap(
      (failure: ReadModelUnavailable | RowParked<HiddenRow>) =>
        failure._tag === 'RowParked' ? { ...failure, row: O.chain(fileVersionOf)(failure.row) } : failure,
      O.chain(fileVersionOf),
    )(await hiddenState(id, asNoted)),
});

const stamp = (by: string | null, at: string | null): Document['uploaded'] =>
  by === null || at === null ? null : { by, at };

const stateOf = ({ body, hidden }: RowContent): DocumentState => {
  if (hidden === null) return initialDocument;
  if (hidden === HIDDEN_ERASED) return { _tag: 'Erased' };
  const { deleted, ...others } = parseHidden(hidden);
  const text = body ?? deleted;
  if (text === undefined) return initialDocument;
  // reason: `renderDocument` of the same version wrote this text
  const shown = JSON.parse(text) as DocumentBody;
  const { type, entityType, entity, tags, name, description } = shown;
  return {
    _tag: deleted === undefined ? 'Current' : 'Deleted',
    fields: { type, entityType, entity, tags, name, description },
    uploaded: stamp(shown.uploadedBy, shown.uploadedAt),
    generated: stamp(shown.generatedBy, shown.generatedAt),
    ...others,
  };
};

export const documents: ProjectionOf<DocumentState, DocumentEvent> = {
  rowFor: 'entity',
  name: 'documents',
  category: 'document',
  revision: 4,
  eventTypes: DocumentEvent.types.map(({ props }) => props.type.value),
  serde: documentSerde,
  initialState: initialDocument,
  evolve: evolveDocument,
  keys: [...keysOf(columns), nameColumn],
  textsOf,
  contentOf,
  stateOf,
};
