import { either as E } from 'fp-ts';
import type { EventKeys } from '../event-key.js';
import { macStatusOf } from '../event-mac.js';
import type { EventStore } from '../event-store.js';
import { followMacRule } from '../operators/require-mac.js';
import { isUnreadable } from '../operators/unreadable-decision.js';
import { makeUnsealedDecisions } from '../operators/unsealed-decisions.js';
import type { Position, StoredEvent, StreamName } from '../recorded-event.js';
import type { ChainEnds } from './chain-ends.js';
import { makeChainVerifier } from './chain-verifier.js';
import { type ErasureState, followErasures } from './follow-erasures.js';
import type { LogCheck } from './log-check.js';
import {
  chainFault,
  dataFault,
  macFault,
  notErasedFault,
  type OnLogFault,
  unfinishedFault,
  unreadableFault,
  vouchingFault,
} from './log-fault.js';
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
  /** Events whose data was taken out, together with its salt. */
  readonly withoutData: number;
  /** Those of them that an erasure names. */
  readonly erased: number;
  /** Events that say that others of their stream are erased, and count. */
  readonly erasures: number;
  /** Decisions of operators that are in no tree, and that were not recorded in it again. */
  readonly unsealedDecisions: number;
  /** False when `signal` ended it before the end of the log. */
  readonly isComplete: boolean;
};

type Verifying = {
  /** What every `mac` is checked with; without keys, it is only found where one is missing. */
  readonly keys: EventKeys;
  /**
   * The first broken link of each stream, and each event whose `mac` or data is missing or not right, also behind a broken
   * link.
   */
  readonly onFault: OnLogFault;
  /** Which events have an index: their place among each other, from 0. Without it, the index of no event is known. */
  readonly isSealed?: (event: StoredEvent) => boolean;
  /** What else is compared while the events pass by. Default: nothing. */
  readonly checks?: ReadonlyArray<LogCheck>;
  /** Whether an erasure that began then may still be at work, so that nothing is wrong with it. Default: none may. */
  readonly isUnderWay?: (began: Date) => boolean;
  /** Where the ends of chains are kept. */
  readonly chainEnds: ChainEnds;
  /** After every page: events so far, and the position of the last one. */
  readonly onPage: (events: number, reached: Position) => void;
  readonly signal: AbortSignal;
};

const NEVER = (): boolean => false;

/** Verifies the events that come, page by page; they are all of a log, or of this one stream, in order. */
export const verifyPages = async (
  store: Pick<EventStore, 'readStream'>,
  pages: AsyncIterable<ReadonlyArray<StoredEvent>>,
  { keys, onFault, onPage, isSealed, checks = [], isUnderWay = NEVER, chainEnds, signal }: Verifying,
  stream?: StreamName,
): Promise<Verified> => {
  const chains = makeChainVerifier(chainEnds);
  const macs = makeMacVerifier(keys);
  const decisions = makeUnsealedDecisions();
  const macRule = await followMacRule(store, keys);
  const erasures = await followErasures(store, keys);
  let [broken, macFaults, withoutData, erased, recordedErasures] = [0, 0, 0, 0, 0];
  let indexed = 0;
  let isComplete = true;

  const reportMac = (fault: MacFault, index: number | undefined): void => {
    macFaults += 1;
    onFault(macFault(fault, index));
  };

  const verify = (event: StoredEvent, lacking: ErasureState | undefined): void => {
    const index = isSealed?.(event) === true ? indexed++ : undefined;
    const linked = chains.verify(event);
    if (E.isLeft(linked)) {
      broken += 1;
      onFault(chainFault(linked.left, index));
    }
    // that of a decision outside of the tree is not missing where it was recorded again, which is told at the end
    const isToldAtEnd = decisions.take(event);
    const isInNoTree = isSealed !== undefined && index === undefined;
    const authentic = macs.verify(event, !isToldAtEnd && (isInNoTree ? keys.length > 0 : macRule.isRequired(index)));
    if (E.isLeft(authentic)) reportMac(authentic.left, index);
    const vouchedFor = macRule.pass(event, index);
    if (vouchedFor !== undefined) onFault(vouchingFault(event, vouchedFor, index));
    if (E.isRight(linked) && lacking !== undefined) {
      withoutData += 1;
      if (lacking === 'NotErased') onFault(dataFault(event, index));
      else erased += 1;
    } else if (isUnreadable(event)) onFault(unreadableFault(event, index));
  };

  const verifyErasure = async (event: StoredEvent): Promise<void> => {
    recordedErasures += 1;
    for await (const readable of erasures.readableOf(event)) onFault(notErasedFault(readable, event.revision));
  };

  const verifyUnfinished = async (): Promise<void> => {
    for await (const begun of erasures.unfinished(stream))
      if (!isUnderWay(new Date(begun.metadata.at))) onFault(unfinishedFault(begun));
  };

  for await (const events of pages) {
    if (signal.aborted) {
      isComplete = false;
      break;
    }
    await chainEnds.prepare(events);
    const lacking = await erasures.lackingIn(events);
    for (const event of events) verify(event, lacking.get(event));
    for (const event of events) if (erasures.isErasure(event)) await verifyErasure(event);
    for (const check of checks) await check.take(events);
    const last = events.at(-1);
    if (last !== undefined) onPage(chains.events(), last.position);
  }
  const unsealed = decisions.rest();
  if (isComplete) {
    await verifyUnfinished();
    for (const check of checks) await check.end();
    if (keys.length > 0)
      for (const event of unsealed)
        if (macStatusOf([], event) === 'None') reportMac({ _tag: 'MacMissing', event }, undefined);
  }
  return {
    events: chains.events(),
    streams: chains.streams(),
    broken,
    withMac: macs.withMac(),
    macFaults,
    withoutData,
    erased,
    erasures: recordedErasures,
    unsealedDecisions: unsealed.length,
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
  verifyPages(store, pagesOfStream(store, stream), verifying, stream);
