import { either as E } from 'fp-ts';
import type { EventStore } from '../event-store.js';
import type { BrokenLink } from '../hash-chain.js';
import { checkpointOf, type From, type StoredEvent } from '../recorded-event.js';
import { makeChainVerifier } from './chain-verifier.js';

/** The target holds something else than the source at this place, so it is no copy of it. */
export type LogsDiffer = {
  readonly _tag: 'LogsDiffer';
  readonly found: StoredEvent;
  /** What the source holds there; undefined where the source has ended. */
  readonly wanted: StoredEvent | undefined;
};

export type OnPair = (source: StoredEvent, target: StoredEvent) => void;

/** A walk along two logs, event by event, that goes on where it stopped. */
export type Comparison = {
  /**
   * Walks to the end of the target as it is now: each event must be the source's next one, text for text, and must
   * continue the chain of its stream. Rejects with `StoreUnavailable`.
   */
  readonly advance: (onPair: OnPair, signal?: AbortSignal) => Promise<E.Either<LogsDiffer | BrokenLink, void>>;
  /** Where the walk stands in the source. */
  readonly source: () => From;
  readonly events: () => number;
  readonly streams: () => number;
};

async function* eventsBehind(store: EventStore, after: From): AsyncGenerator<StoredEvent, undefined> {
  for await (const { events } of store.readAll({ after })) yield* events;
  return undefined;
}

const isSame = (one: StoredEvent, other: StoredEvent): boolean =>
  one.id === other.id &&
  one.stream === other.stream &&
  one.revision === other.revision &&
  one.type === other.type &&
  one.data === other.data &&
  one.metadata === other.metadata;

export const compareLogs = (source: EventStore, target: EventStore): Comparison => {
  const chains = makeChainVerifier();
  let reached: { readonly source: From; readonly target: From } = { source: 'start', target: 'start' };

  const step = (
    wanted: StoredEvent | undefined,
    found: StoredEvent,
  ): E.Either<LogsDiffer | BrokenLink, StoredEvent> => {
    if (wanted === undefined || !isSame(wanted, found)) return E.left({ _tag: 'LogsDiffer', found, wanted });
    const linked = chains.verify(found);
    if (E.isLeft(linked)) return linked;
    reached = { source: checkpointOf(wanted), target: checkpointOf(found) };
    return E.right(wanted);
  };

  const advance: Comparison['advance'] = async (onPair, signal) => {
    const theirs = eventsBehind(source, reached.source);
    try {
      for await (const found of eventsBehind(target, reached.target)) {
        if (signal?.aborted === true) break;
        const stepped = step((await theirs.next()).value, found);
        if (E.isLeft(stepped)) return stepped;
        onPair(stepped.right, found);
      }
      return E.right(undefined);
    } finally {
      await theirs.return(undefined);
    }
  };

  return { advance, source: () => reached.source, events: chains.events, streams: chains.streams };
};
