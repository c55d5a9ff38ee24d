import { either as E } from 'fp-ts';
import type { EventStore } from '../event-store.js';
import type { BrokenLink } from '../hash-chain.js';
import type { Random } from '../random.js';
import { checkpointOf, type From, type StoredEvent } from '../recorded-event.js';
import { makeChainVerifier } from './chain-verifier.js';
import { keepChainEnds } from './keep-chain-ends.js';

/** At some place the target holds another event than the source: it is no copy of it. */
export type LogsDiffer = {
  readonly _tag: 'LogsDiffer';
  readonly found: StoredEvent;
  /** What the source holds there; undefined where the source has ended. */
  readonly wanted: StoredEvent | undefined;
};

export type OnPair = (source: StoredEvent, target: StoredEvent) => void;

/** Compares two logs event by event; each run goes on where the last one ended. */
type CopyVerifier = {
  /**
   * Reads on to the end of the target as it is now: each event must be the source's next one, text for text, and must
   * continue the chain of its stream. Rejects with `StoreUnavailable`.
   */
  readonly verify: (onPair: OnPair, signal?: AbortSignal) => Promise<E.Either<LogsDiffer | BrokenLink, void>>;
  /** Checkpoint in the source of the last event verified. */
  readonly verifiedUpTo: () => From;
  /** How many events and streams have been verified. */
  readonly events: () => number;
  readonly streams: () => number;
};

type Readable = Pick<EventStore, 'readAll'>;

async function* eventsAfter(store: Readable, after: From): AsyncGenerator<StoredEvent, undefined> {
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

export const makeCopyVerifier = (random: Random, source: Readable, target: Readable): CopyVerifier => {
  const chains = makeChainVerifier(keepChainEnds(random));
  let verified: { readonly source: From; readonly target: From } = { source: 'start', target: 'start' };

  const verifyPair = (
    wanted: StoredEvent | undefined,
    found: StoredEvent,
  ): E.Either<LogsDiffer | BrokenLink, StoredEvent> => {
    if (wanted === undefined || !isSame(wanted, found)) return E.left({ _tag: 'LogsDiffer', found, wanted });
    const linked = chains.verify(found);
    if (E.isLeft(linked)) return linked;
    verified = { source: checkpointOf(wanted), target: checkpointOf(found) };
    return E.right(wanted);
  };

  const verify: CopyVerifier['verify'] = async (onPair, signal) => {
    const originals = eventsAfter(source, verified.source);
    try {
      for await (const found of eventsAfter(target, verified.target)) {
        if (signal?.aborted === true) break;
        const original = verifyPair((await originals.next()).value, found);
        if (E.isLeft(original)) return original;
        onPair(original.right, found);
      }
      return E.right(undefined);
    } finally {
      await originals.return(undefined);
    }
  };

  return { verify, verifiedUpTo: () => verified.source, events: chains.events, streams: chains.streams };
};
