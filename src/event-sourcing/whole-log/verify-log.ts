import { either as E } from 'fp-ts';
import type { EventStore } from '../event-store.js';
import type { BrokenLink } from '../hash-chain.js';
import type { Position, StoredEvent, StreamName } from '../recorded-event.js';
import { type ChainVerifier, makeChainVerifier } from './chain-verifier.js';

export type Verified = {
  readonly events: number;
  readonly streams: number;
  /** Streams with a broken link. */
  readonly broken: number;
  /** False when `signal` ended it before the end of the log. */
  readonly isComplete: boolean;
};

export type Verifying = {
  /** The first broken link of a stream, as it is found. */
  readonly onBroken: (link: BrokenLink) => void;
  /** After every page: events so far, and the position of the last one. */
  readonly onPage: (events: number, reached: Position) => void;
  readonly signal: AbortSignal;
};

const verifyPages = async (
  pages: AsyncIterable<ReadonlyArray<StoredEvent>>,
  { onBroken, onPage, signal }: Verifying,
  chains: ChainVerifier,
): Promise<Verified> => {
  let broken = 0;
  let isComplete = true;
  for await (const events of pages) {
    if (signal.aborted) {
      isComplete = false;
      break;
    }
    for (const event of events) {
      const added = chains.verify(event);
      if (E.isRight(added)) continue;
      broken += 1;
      onBroken(added.left);
    }
    const last = events.at(-1);
    if (last !== undefined) onPage(chains.events(), last.position);
  }
  return { events: chains.events(), streams: chains.streams(), broken, isComplete };
};

async function* pagesOfStream(store: EventStore, stream: StreamName): AsyncGenerator<ReadonlyArray<StoredEvent>> {
  for await (const page of store.readStream(stream, { direction: 'forwards' })) yield [...page];
}

async function* pagesOfLog(store: EventStore): AsyncGenerator<ReadonlyArray<StoredEvent>> {
  for await (const { events } of store.readAll({ after: 'start' })) yield events;
}

/** Recomputes the chains of all streams in one pass over the log. Rejects with `StoreUnavailable`. */
export const verifyLog = (store: EventStore, verifying: Verifying): Promise<Verified> =>
  verifyPages(pagesOfLog(store), verifying, makeChainVerifier());

/** Recomputes the chain of one stream; one that never was has no events. Rejects with `StoreUnavailable`. */
export const verifyStream = (store: EventStore, stream: StreamName, verifying: Verifying): Promise<Verified> =>
  verifyPages(pagesOfStream(store, stream), verifying, makeChainVerifier());
