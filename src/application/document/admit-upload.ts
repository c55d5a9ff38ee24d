import { either as E } from 'fp-ts';
import type { PreconditionFailed } from '../../event-sourcing/command/command-call.js';
import type { EventStore, StoreUnavailable } from '../../event-sourcing/event-store.js';
import type { DocumentNotFound } from '../../domain/document/rejections.js';
import type { CommandContext } from '../command-context.js';
import { documentStream } from './execute-document.js';

/**
 * Whether it is worth taking the bytes of a new version: the document exists and the precondition holds. A keyed
 * request may be the repeat of one that succeeded, so its precondition is left to the command.
 */
export const admitUpload =
  (store: Pick<EventStore, 'newestRevision'>) =>
  async (
    context: CommandContext,
    documentId: string,
  ): Promise<E.Either<DocumentNotFound | PreconditionFailed | StoreUnavailable, void>> => {
    const newest = await store.newestRevision(documentStream(documentId));
    if (E.isLeft(newest)) return newest;
    const current = newest.right;
    if (current === 'no-stream') return E.left({ _tag: 'DocumentNotFound' });
    const isRepeatable = context.idempotencyKey !== undefined;
    const isMatch = isRepeatable || (context.precondition?.(current) ?? true);
    return isMatch ? E.right(undefined) : E.left({ _tag: 'PreconditionFailed', current });
  };
