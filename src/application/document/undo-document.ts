import type { DocumentCommand } from '../../domain/document/commands.js';
import { type DocumentChanges, DocumentFields } from '../../domain/document/events.js';
import type { Document } from '../../domain/document/state.js';
import { requestOfRevert, type Undo, type Wanted } from '../undo.js';

export const restoreDocument: Undo<DocumentCommand> = {
  command: { _tag: 'RestoreDocument' },
  request: { _tag: 'RestoreDocument' },
};

type RevertibleOfDocument = keyof DocumentFields | 'file';

// reason: the keys of a codec are those of its type
const fieldNames = Object.keys(DocumentFields.props) as ReadonlyArray<keyof DocumentFields>;

/** What a revert can give back of a document: its fields, and its file with who uploaded it. */
export const revertibleOfDocument: ReadonlyArray<RevertibleOfDocument> = [...fieldNames, 'file'];

/** Whether the file is to come back. */
export const isFileWanted = ({ fields = revertibleOfDocument }: Wanted<RevertibleOfDocument>): boolean =>
  fields.includes('file');

/** Back to `then`, which the document was at the revision. Its file must still be stored. */
export const revertDocument = (wanted: Wanted<RevertibleOfDocument>, then: Document): Undo<DocumentCommand> => {
  const { revision, fields: names = revertibleOfDocument } = wanted;
  const entries = fieldNames.filter((name) => names.includes(name)).map((name) => [name, then.fields[name]]);
  // reason: each name with the value of that name
  const fields = Object.fromEntries(entries) as DocumentChanges;
  const content = isFileWanted(wanted) ? { file: then.file, uploaded: then.uploaded } : undefined;
  return {
    command: { _tag: 'RevertDocument', to: revision, fields, content },
    request: requestOfRevert('RevertDocument', wanted),
  };
};
