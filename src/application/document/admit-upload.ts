import { either as E } from 'fp-ts';
import type { PreconditionFailed } from '../../event-sourcing/command/command-call.js';
import { asStoreUnavailable, type EventStore, type StoreUnavailable } from '../../event-sourcing/event-store.js';
import type { ExpectedRevision } from '../../event-sourcing/recorded-event.js';
import type { DocumentNotFound } from '../../domain/document/rejections.js';
import type { CommandContext } from '../command-context.js';
import { documentStream } from './execute-document.js';

const currentRevision = async (store: EventStore, documentId: string): Promise<ExpectedRevision> => {
  const newest = store.readStream(documentStream(documentId), { direction: 'backwards', limit: 1 });
  for await (const [event] of newest) if (event !== undefined) return event.revision;
  return 'no-stream';
};

/**
 * Whether it is worth taking the bytes of a new version: the document exists and the precondition holds. A keyed
 * request may be the repeat of one that succeeded, so its precondition is left to the command.
 */
export const admitUpload =
  (store: EventStore) =>
  async (
    context: CommandContext,
    documentId: string,
  ): Promise<E.Either<DocumentNotFound | PreconditionFailed | StoreUnavailable, void>> => {
    try {
      const current = await currentRevision(store, documentId);
      if (current === 'no-stream') return E.left({ _tag: 'DocumentNotFound' });
      const isRepeatable = context.idempotencyKey !== undefined;
      const isMatch = isRepeatable || (context.precondition?.(current) ?? true);
      return isMatch ? E.right(undefined) : E.left({ _tag: 'PreconditionFailed', current });
    } catch (error) {
      return E.left(asStoreUnavailable(error));
    }
  };
