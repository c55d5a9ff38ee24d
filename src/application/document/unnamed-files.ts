import { either as E } from 'fp-ts';
import { documentSerde } from '../../domain/document/serde.js';
import { fileNamedBy } from '../../domain/document/events.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { type LoadFailure, forEachEvent } from '../../event-sourcing/for-each-event.js';
import { documentStream } from './execute-document.js';

/** Those of a document's files that none of its events names, past versions included. */
export const unnamedFiles = async (
  store: Pick<EventStore, 'readStream'>,
  documentId: string,
  keys: ReadonlyArray<string>,
): Promise<E.Either<LoadFailure, ReadonlySet<string>>> => {
  const unnamed = new Set(keys);
  const visited = await forEachEvent(
    store,
    documentSerde,
    documentStream(documentId),
    { direction: 'forwards' },
    ({ event }) => {
      const named = fileNamedBy(event)?.key;
      if (named !== undefined) unnamed.delete(named);
      return unnamed.size > 0;
    },
  );
  return E.isLeft(visited) ? visited : E.right(unnamed);
};
