import { either as E } from 'fp-ts';
import type { EventKeys } from '../event-key.js';
import type { EventStore } from '../event-store.js';
import type { BrokenLink } from '../hash-chain.js';
import { categoryOf, type Position, type StoredEvent, type StreamName } from '../recorded-event.js';
import type { ChainEnds } from './chain-ends.js';
import { makeChainVerifier } from './chain-verifier.js';
import { keepChainEnds } from './keep-chain-ends.js';
import type { LogCheck } from './log-check.js';
import { findMacRule } from './mac-required.js';
import { type MacFault, makeMacVerifier } from './mac-verifier.js';

export type Verified = {
  readonly events: number;
  readonly streams: number;
  /** Streams with a broken link. */
  readonly broken: number;
  /** Events that have a `mac`. */
  readonly withMac: number;
  /** Events whose `mac` is missing, does not fit or is of an unknown key. */
  readonly macFaults: number;
  /** False when `signal` ended it before the end of the log. */
  readonly isComplete: boolean;
};

type Verifying = {
  /** What every `mac` is checked with; without keys, it is only found where one is missing. */
  readonly keys: EventKeys;
  /** The first broken link of a stream, as it is found, and the event's index. */
  readonly onBroken: (link: BrokenLink, index: number | undefined) => void;
  /** Each event with a fault, also behind a broken link, and its index. */
  readonly onMacFault: (fault: MacFault, index: number | undefined) => void;
  /** Of the events that have an index: their place among each other, from 0. Default: none. */
  readonly categories?: ReadonlyArray<string>;
  /** What else is compared while the events pass by. Default: nothing. */
  readonly checks?: ReadonlyArray<LogCheck>;
  /** Where the ends of chains are kept. Default: in memory, all of them. */
  readonly chainEnds?: ChainEnds;
  /** After every page: events so far, and the position of the last one. */
  readonly onPage: (events: number, reached: Position) => void;
  readonly signal: AbortSignal;
};

/** Verifies the events that come, page by page; they are all of a log, or of one stream, in order. */
export const verifyPages = async (
  store: Pick<EventStore, 'readStream' | 'readAll'>,
  pages: AsyncIterable<ReadonlyArray<StoredEvent>>,
  { keys, onBroken, onMacFault, onPage, categories = [], checks = [], chainEnds = keepChainEnds(), signal }: Verifying,
): Promise<Verified> => {
  const chains = makeChainVerifier(chainEnds);
  const macs = makeMacVerifier(keys, await findMacRule(store));
  let [broken, macFaults] = [0, 0];
  let indexed = 0;
  let isComplete = true;
  for await (const events of pages) {
    if (signal.aborted) {
      isComplete = false;
      break;
    }
    await chainEnds.prepare(events);
    for (const event of events) {
      const index = categories.includes(categoryOf(event.stream)) ? indexed++ : undefined;
      const linked = chains.verify(event);
      if (E.isLeft(linked)) {
        broken += 1;
        onBroken(linked.left, index);
      }
      const authentic = macs.verify(event);
      if (E.isLeft(authentic)) {
        macFaults += 1;
        onMacFault(authentic.left, index);
      }
    }
    for (const check of checks) await check.take(events);
    const last = events.at(-1);
    if (last !== undefined) onPage(chains.events(), last.position);
  }
  if (isComplete) for (const check of checks) await check.end();
  return {
    events: chains.events(),
    streams: chains.streams(),
    broken,
    withMac: macs.withMac(),
    macFaults,
    isComplete,
  };
};

async function* pagesOfStream(store: EventStore, stream: StreamName): AsyncGenerator<ReadonlyArray<StoredEvent>> {
  for await (const page of store.readStream(stream, { direction: 'forwards' })) yield [...page];
}

async function* pagesOfLog(store: EventStore): AsyncGenerator<ReadonlyArray<StoredEvent>> {
  for await (const { events } of store.readAll({ after: 'start' })) yield events;
}

/** Recomputes the chains of all streams, and every `mac`, in one pass over the log. Rejects with `StoreUnavailable`. */
export const verifyLog = (store: EventStore, verifying: Verifying): Promise<Verified> =>
  verifyPages(store, pagesOfLog(store), verifying);

/** Recomputes those of one stream; one that never was has no events. Rejects with `StoreUnavailable`. */
export const verifyStream = (store: EventStore, stream: StreamName, verifying: Verifying): Promise<Verified> =>
  verifyPages(store, pagesOfStream(store, stream), verifying);
