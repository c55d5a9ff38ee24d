import { either as E } from 'fp-ts';
import { isFileWanted, restoreDocument, revertDocument } from '../../application/document/undo-document.js';
import type { DocumentUseCases } from '../../application/document/use-cases.js';
import type { Foresee } from '../../application/foresee.js';
import type { DocumentCommand } from '../../domain/document/commands.js';
import type { DocumentRejection } from '../../domain/document/rejections.js';
import type { DocumentState } from '../../domain/document/state.js';
import { documentComparison } from '../../read/document-view.js';
import type { EarlierState, EntityReads } from '../../read/entity-reads.js';
import { restoreRecord, revertRecord, type Undoing } from '../record/undo.js';
import { RevertDocumentBody } from './body.js';
import { renderAnyDocument } from './change-document.js';
import { type FileSource, openContent } from './file/open-content.js';

/** What undoing needs beside the use cases. */
export type UndoingOfDocuments = {
  readonly foresee: Foresee<DocumentState, DocumentCommand, DocumentRejection>;
  readonly earlier: EarlierState<DocumentState>;
};

type UndoneDocuments = Pick<DocumentUseCases, 'undo'> &
  Pick<EntityReads<never>, 'newestRevision'> &
  UndoingOfDocuments & { readonly files: FileSource };

const undoing = ({ undo, foresee }: UndoneDocuments): Undoing<DocumentState, DocumentCommand, DocumentRejection> => ({
  undo,
  foresee,
  comparison: documentComparison,
  render: renderAnyDocument,
});

const isCurrent = (state: DocumentState): state is Extract<DocumentState, { readonly _tag: 'Current' }> =>
  state._tag === 'Current';

export const restoreDocumentById = (documents: UndoneDocuments) => restoreRecord(undoing(documents), restoreDocument);

/** Refuses to go back to a file that the storage has lost, or that is not what its event says as far as a short look shows. */
export const revertDocumentById = (documents: UndoneDocuments) =>
  revertRecord(undoing(documents), {
    ...documents,
    body: RevertDocumentBody,
    isRecord: isCurrent,
    admit: async ({ ctx }, id, wanted, { file }) => {
      if (file === null || !isFileWanted(wanted)) return E.right(false);
      // of a large one, the last byte alone: one that was cut off lacks that
      const last = Math.max(file.size - 1, 0);
      const opened = await openContent(documents.files)(ctx.state, id, file, { first: last, last });
      if (E.isLeft(opened)) return opened;
      if (!Buffer.isBuffer(opened.right)) opened.right.destroy();
      return E.right(true);
    },
    revertTo: revertDocument,
  });
