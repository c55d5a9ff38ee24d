import { either as E } from 'fp-ts';
import { changesTo, isEmpty } from '../shared/changes.js';
import type { Decider } from '../../event-sourcing/decider.js';
import type { CreateDocument, DocumentCommand, RevertDocument, UpdateDocument } from './commands.js';
import type { DocumentChanges, DocumentEvent, DocumentFields, StoredFile } from './events.js';
import type { DocumentRejection } from './rejections.js';
import { attachmentOf, type Document, type DocumentState, evolveDocument, initialDocument } from './state.js';

type Decision = E.Either<DocumentRejection, ReadonlyArray<DocumentEvent>>;

const notFound: Decision = E.left({ _tag: 'DocumentNotFound' });

const DEFAULT_TYPE = 'Document';

const create = ({ fields, file }: CreateDocument): Decision => {
  const type = fields.type ?? DEFAULT_TYPE;
  const { name, description = null, tags = [], entity = null } = fields;
  const data = { name, description, tags, type, entityType: fields.entityType ?? type, entity, file };
  return E.right([{ type: 'DocumentCreated', data }]);
};

/** The wanted changes with each null of a defaulted field replaced by its default. */
const withDefaults = ({ changes }: UpdateDocument, { createdType }: Document): DocumentChanges => {
  const { type, entityType, ...rest } = changes;
  return {
    ...rest,
    ...(type === undefined ? {} : { type: type ?? DEFAULT_TYPE }),
    ...(entityType === undefined ? {} : { entityType: entityType ?? createdType }),
  };
};

const sameTags = (one: ReadonlyArray<string>, other: ReadonlyArray<string> | undefined): boolean =>
  other?.length === one.length && one.every((tag, index) => tag === other[index]);

const isSameFile = (one: StoredFile | null, other: StoredFile): boolean =>
  one?.sha256 === other.sha256 && one.originalName === other.originalName && one.mimeType === other.mimeType;

const attachments = (
  before: DocumentFields,
  after: DocumentFields,
): Pick<Extract<DocumentEvent, { type: 'DocumentUpdated' }>['data'], 'attachedTo' | 'detachedFrom'> => {
  const attachedTo = attachmentOf(after);
  const previous = attachmentOf(before);
  const isMoved = before.entity !== after.entity || before.entityType !== after.entityType;
  return {
    ...(attachedTo === undefined ? {} : { attachedTo }),
    ...(previous === undefined || !isMoved ? {} : { detachedFrom: previous }),
  };
};

/** Those of the wanted fields that differ. */
const changesOf = ({ fields }: Document, wanted: DocumentChanges): DocumentChanges => {
  const { tags: _same, ...others } = wanted;
  return changesTo(fields, sameTags(fields.tags, wanted.tags) ? others : wanted);
};

const update = (command: UpdateDocument, document: Document): Decision => {
  const { fields } = document;
  const changes = changesOf(document, withDefaults(command, document));
  const isReplaced = command.file !== undefined && !isSameFile(document.file, command.file);
  if (isEmpty(changes) && !isReplaced) return E.right([]);
  const data = {
    changes,
    ...(isReplaced ? { file: command.file } : {}),
    ...attachments(fields, { ...fields, ...changes }),
  };
  return E.right([{ type: 'DocumentUpdated', data }]);
};

const revert = ({ to, fields: wanted, content }: RevertDocument, document: Document): Decision => {
  const { fields, file } = document;
  const changes = changesOf(document, wanted);
  // the same content that was uploaded once more is another version: its key is another one
  const isOther = content !== undefined && content.file?.key !== file?.key;
  if (isEmpty(changes) && !isOther) return E.right([]);
  const data = { to, changes, ...(isOther ? content : {}), ...attachments(fields, { ...fields, ...changes }) };
  return E.right([{ type: 'DocumentReverted', data }]);
};

/** One that is not deleted is what it is to be. */
const restore = ({ _tag }: DocumentState): Decision => {
  if (_tag === 'NotCreated' || _tag === 'Erased') return notFound;
  return E.right(_tag === 'Current' ? [] : [{ type: 'DocumentRestored', data: {} }]);
};

const decide =
  (command: DocumentCommand) =>
  (state: DocumentState): Decision => {
    if (command._tag === 'CreateDocument')
      return state._tag === 'NotCreated' ? create(command) : E.left({ _tag: 'DocumentAlreadyExists' });
    if (command._tag === 'RestoreDocument') return restore(state);
    if (state._tag !== 'Current') return notFound;
    switch (command._tag) {
      case 'UpdateDocument':
        return update(command, state);
      case 'DeleteDocument':
        return E.right([{ type: 'DocumentDeleted', data: {} }]);
      case 'RevertDocument':
        return revert(command, state);
    }
  };

export const documentDecider: Decider<DocumentState, DocumentCommand, DocumentEvent, DocumentRejection> = {
  initialState: initialDocument,
  decide,
  evolve: evolveDocument,
  isAbsence: ({ _tag }) => _tag === 'DocumentNotFound',
};
