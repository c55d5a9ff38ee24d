import type { CreateDocument, DocumentCommand, UpdateDocument } from '../../domain/document/commands.js';
import type { StoredFile } from '../../domain/document/events.js';
import type { Random } from '../../event-sourcing/random.js';
import type { FindSkipped } from '../../event-sourcing/passed-over.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { type CommandContext, type CommandIds, commandIdsOf, envelopeOf } from '../command-context.js';
import { changing } from '../execute.js';
import type { ObjectStorage } from '../ports.js';
import type { Undo } from '../undo.js';
import { admitUpload } from './admit-upload.js';
import { documentStream, type ExecuteDocument, requestOf } from './execute-document.js';
import { withUpload } from './with-upload.js';

type DocumentPorts = {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly findSkipped?: FindSkipped;
  readonly storage: Pick<ObjectStorage, 'put' | 'remove' | 'heldPerPut'>;
};

/** What can be asked of documents. A file is stored by `withUpload`, and its command runs within that. */
export const documentUseCases = (
  random: Random,
  execute: ExecuteDocument,
  { store, storage, findSkipped }: DocumentPorts,
) => {
  const change = changing(random, execute, documentStream);

  return {
    admitUpload: admitUpload(store, findSkipped),
    withUpload: withUpload(random, storage),
    /** What the storage holds of a file while it takes it, at most, bytes. */
    heldPerUpload: storage.heldPerPut,

    idsOf: (context: CommandContext): CommandIds => commandIdsOf(random, context),

    /** Under `ids`, from `idsOf(context)`: they are fixed before the file is stored below the document's id. */
    create: (context: CommandContext, ids: CommandIds, fields: CreateDocument['fields'], file: StoredFile | null) =>
      execute({
        stream: documentStream(ids.entityId),
        command: { _tag: 'CreateDocument', fields, file },
        envelope: envelopeOf(context, ids, requestOf(ids.entityId, fields, file)),
        precondition: context.precondition,
        fresh: true,
      }),

    /** Merges `changes` into a document and replaces its content when there is a `file`, by one event. */
    update: (
      context: CommandContext,
      documentId: string,
      changes: UpdateDocument['changes'],
      file: StoredFile | undefined,
    ) => change(context, documentId, { _tag: 'UpdateDocument', changes, file }, requestOf(documentId, changes, file)),

    /** History, earlier states and all files stay readable. */
    delete: (context: CommandContext, documentId: string) =>
      change(context, documentId, { _tag: 'DeleteDocument' }, { _tag: 'DeleteDocument' }),

    undo: (context: CommandContext, documentId: string, { command, request }: Undo<DocumentCommand>, until?: number) =>
      change(context, documentId, command, request, until),
  };
};

export type DocumentUseCases = ReturnType<typeof documentUseCases>;
