import { expect } from 'chai';
import {
  isFileWanted,
  restoreDocument,
  revertDocument,
  revertibleOfDocument,
} from '../../../src/application/document/undo-document.js';
import { documentDecider } from '../../../src/domain/document/decide.js';
import type { DocumentState } from '../../../src/domain/document/state.js';
import { documentComparison } from '../../../src/read/document-view.js';
import { documentCommand } from '../../support/document-commands.js';
import { undoProperties } from '../../support/undo-properties.js';

const isCurrent = (state: DocumentState): state is Extract<DocumentState, { readonly _tag: 'Current' }> =>
  state._tag === 'Current';

describe('undoing what was done to a document', () => {
  undoProperties({
    decider: documentDecider,
    command: documentCommand,
    isRecord: isCurrent,
    remove: { _tag: 'DeleteDocument' },
    restore: restoreDocument,
    revertTo: revertDocument,
    revertible: revertibleOfDocument,
    valuesOf: ({ fields, file, uploaded }) => ({ ...fields, file: { file, uploaded } }),
    staying: ({ createdType, generated }) => ({ createdType, generated }),
    comparison: documentComparison,
  });

  it('wants the file where it is named, or nothing is', () => {
    expect(
      [{ revision: 0 }, { revision: 0, fields: ['file'] }, { revision: 0, fields: ['name'] }].map((wanted) =>
        // reason: the names are those of fields
        isFileWanted(wanted as Parameters<typeof isFileWanted>[0]),
      ),
    ).to.deep.equal([true, true, false]);
  });
});
