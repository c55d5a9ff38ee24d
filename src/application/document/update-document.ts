import type { UpdateDocument } from '../../domain/document/commands.js';
import type { StoredFile } from '../../domain/document/events.js';
import { commandIdsOf, envelopeOf, type CommandContext } from '../command-context.js';
import type { ObjectStorage } from '../ports.js';
import { documentStream, type ExecuteDocument, requestOf } from './execute-document.js';
import { keepOrDiscard } from './keep-or-discard.js';

/** Merges `changes` into a document and, when there is a `file`, replaces its content; one event, whatever it is. */
export const updateDocument =
  (execute: ExecuteDocument, storage: Pick<ObjectStorage, 'remove'>) =>
  (context: CommandContext, documentId: string, changes: UpdateDocument['changes'], file: StoredFile | undefined) =>
    keepOrDiscard(storage)(file, () =>
      execute({
        stream: documentStream(documentId),
        command: { _tag: 'UpdateDocument', changes, file },
        envelope: envelopeOf(context, commandIdsOf(context), requestOf(documentId, changes, file)),
        precondition: context.precondition,
        fresh: false,
      }),
    );
