import type { CreateDocument } from '../../domain/document/commands.js';
import type { StoredFile } from '../../domain/document/events.js';
import type { ObjectStorage } from '../ports.js';
import { type CommandIds, envelopeOf, type CommandContext } from '../command-context.js';
import { documentStream, type ExecuteDocument, requestOf } from './execute-document.js';
import { keepOrDiscard } from './keep-or-discard.js';

/**
 * Creates a document under `ids` (from `commandIdsOf(context)`, fixed before the file was stored below its id). The
 * file is removed again when the command is refused or was a repeat.
 */
export const createDocument =
  (execute: ExecuteDocument, storage: Pick<ObjectStorage, 'remove'>) =>
  (context: CommandContext, ids: CommandIds, fields: CreateDocument['fields'], file: StoredFile | null) =>
    keepOrDiscard(storage)(file, () =>
      execute({
        stream: documentStream(ids.entityId),
        command: { _tag: 'CreateDocument', fields, file },
        envelope: envelopeOf(context, ids, requestOf(ids.entityId, fields, file)),
        precondition: context.precondition,
        fresh: true,
      }),
    );
