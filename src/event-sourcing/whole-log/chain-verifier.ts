import { either as E } from 'fp-ts';
import { type BrokenLink, chainStart, extendChain } from '../hash-chain.js';
import type { StoredEvent } from '../recorded-event.js';
import type { ChainEnds } from './chain-ends.js';

/** Verifies the chains of all streams of a log that is read in its order. */
export type ChainVerifier = {
  /** Verifies the next event of its stream. After a broken link, the rest of that stream is passed over. */
  readonly verify: (event: StoredEvent) => E.Either<BrokenLink, void>;
  /** How many events and streams it has been given. */
  readonly events: () => number;
  readonly streams: () => number;
};

export const makeChainVerifier = (ends: ChainEnds): ChainVerifier => {
  let events = 0;

  return {
    verify: (event) => {
      events += 1;
      const end = ends.get(event.stream) ?? chainStart;
      if (end === 'broken') return E.right(undefined);
      const extended = extendChain(end, event);
      ends.set(event.stream, E.isRight(extended) ? extended.right : 'broken');
      return E.map(() => undefined)(extended);
    },
    events: () => events,
    streams: ends.streams,
  };
};
