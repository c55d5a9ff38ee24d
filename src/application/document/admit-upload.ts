import { either as E } from 'fp-ts';
import type { PreconditionFailed } from '../../event-sourcing/command/command-call.js';
import { attempt } from '../../event-sourcing/attempt.js';
import { asStoreUnavailable, type EventStore, type StoreUnavailable } from '../../event-sourcing/event-store.js';
import { readNewestEvent } from '../../event-sourcing/read-event.js';
import { type FindSkipped, noneSkipped } from '../../event-sourcing/passed-over.js';
import type { DocumentEvent } from '../../domain/document/events.js';
import type { DocumentNotFound } from '../../domain/document/rejections.js';
import type { CommandContext } from '../command-context.js';
import { documentStream } from './execute-document.js';

/** Events behind which there is no document. */
const GONE: ReadonlyArray<string> = ['DocumentDeleted', 'DocumentErased'] satisfies ReadonlyArray<
  DocumentEvent['type']
>;

/**
 * Whether it is worth taking the bytes of a new version: the document is there and the precondition holds. A keyed request
 * may be the repeat of one that succeeded before, so that it is left to the command whether they are so now.
 */
export const admitUpload =
  (store: Pick<EventStore, 'readStream'>, findSkipped: FindSkipped = () => noneSkipped) =>
  async (
    context: CommandContext,
    documentId: string,
  ): Promise<E.Either<DocumentNotFound | PreconditionFailed | StoreUnavailable, void>> => {
    const newest = await attempt(() => readNewestEvent(store, documentStream(documentId)), asStoreUnavailable);
    if (E.isLeft(newest)) return newest;
    if (newest.right === undefined) return E.left({ _tag: 'DocumentNotFound' });
    if (context.idempotencyKey !== undefined) return E.right(undefined);
    const { id, type, revision: current } = newest.right;
    if (GONE.includes(type) && !findSkipped().ids.has(id)) return E.left({ _tag: 'DocumentNotFound' });
    const isMatch = context.precondition?.(current) ?? true;
    return isMatch ? E.right(undefined) : E.left({ _tag: 'PreconditionFailed', current });
  };
