import { either as E } from 'fp-ts';
import type { CommandFailure } from '../../event-sourcing/command/command-call.js';
import type { StoredFile } from '../../domain/document/events.js';
import type { DocumentRejection } from '../../domain/document/rejections.js';
import type { DocumentState } from '../../domain/document/state.js';
import type { Outcome } from '../execute.js';
import type { ObjectStorage } from '../ports.js';

type Result = E.Either<DocumentRejection | CommandFailure, Outcome<DocumentState>>;

// Failures that may come after an append whose outcome is unknown; the others say that nothing was appended.
const UNDECIDED: ReadonlyArray<(DocumentRejection | CommandFailure)['_tag']> = [
  'StoreUnavailable',
  'StreamContended',
  'UndecodableEvent',
];

/** Whether an event may name the file. Where nobody can tell, the sweep decides. */
const mayBeNamed = (file: StoredFile, result: Result): boolean =>
  E.isLeft(result)
    ? UNDECIDED.includes(result.left._tag)
    : result.right.after._tag === 'Current' && result.right.after.file?.key === file.key;

/**
 * Runs a command for a file that is already stored, and removes the file again when no event came to name it. Should
 * the removal fail, the sweep finds the object later.
 */
export const keepOrDiscard =
  ({ remove }: Pick<ObjectStorage, 'remove'>) =>
  async (
    file: StoredFile | null | undefined,
    command: () => Promise<E.Either<DocumentRejection | CommandFailure, Outcome<DocumentState>>>,
  ): Promise<E.Either<DocumentRejection | CommandFailure, Outcome<DocumentState>>> => {
    const result = await command();
    if (file !== null && file !== undefined && !mayBeNamed(file, result)) await remove(file.key);
    return result;
  };
