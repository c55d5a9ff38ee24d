import { either as E } from 'fp-ts';
import { documentSerde } from '../../domain/document/serde.js';
import { fileNamedBy } from '../../domain/document/events.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { type LoadFailure, forEachEvent } from '../../event-sourcing/for-each-event.js';
import { isPassedOver, noneSkipped, readPassingOver } from '../../event-sourcing/passed-over.js';
import { documentStream } from './execute-document.js';

const serde = readPassingOver(documentSerde, () => noneSkipped);

/** Events of the document are erased, and its stream does not say that they were: perhaps the keys are missing. */
type ErasedUnrecorded = { readonly _tag: 'ErasedUnrecorded' };

export type NotLookedFor = LoadFailure | ErasedUnrecorded;

/**
 * Those of a document's files that none of its events names, past versions included. Of one that is erased, as its stream says,
 * these are all. Left also where events are erased and the stream does not say so: nobody knows which files they named.
 */
export const unnamedFiles = async (
  store: Pick<EventStore, 'readStream'>,
  documentId: string,
  keys: ReadonlyArray<string>,
): Promise<E.Either<NotLookedFor, ReadonlySet<string>>> => {
  const unnamed = new Set(keys);
  let unrecorded = 0;
  const visited = await forEachEvent(
    store,
    serde,
    documentStream(documentId),
    { direction: 'forwards' },
    ({ event }) => {
      if (isPassedOver(event)) unrecorded += 1;
      else if (event.type === 'DocumentErased') unrecorded = event.data.events === 'all' ? 0 : unrecorded;
      else {
        const named = fileNamedBy(event)?.key;
        if (named !== undefined) unnamed.delete(named);
      }
      return unnamed.size > 0;
    },
  );
  if (E.isLeft(visited)) return visited;
  return unrecorded > 0 && unnamed.size > 0 ? E.left({ _tag: 'ErasedUnrecorded' }) : E.right(unnamed);
};
