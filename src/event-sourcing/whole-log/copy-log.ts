import { either as E } from 'fp-ts';
import { orThrow } from '../attempt.js';
import type { AppendFailure, EventStore, LogBatch } from '../event-store.js';
import type { BrokenLink } from '../hash-chain.js';
import type { From, Position } from '../recorded-event.js';
import type { Runtime } from '../runtime.js';
import { copyBatches } from './copy-batches.js';
import { type LogsDiffer, makeCopyVerifier, type OnPair } from './copy-verifier.js';
import type { LogTarget } from './log-target.js';

/** The target is another log: it has a name and events of its own. */
type OtherLog = { readonly _tag: 'OtherLog'; readonly source: string; readonly target: string };

export type CopyFailure = OtherLog | LogsDiffer | BrokenLink | AppendFailure;

/** Comparing what the target holds already, copying, or reading back what was copied. */
type CopyPhase = 'comparing' | 'copying' | 'verifying';

/** A log that is read to be copied. One without `subscribe` has ended: nothing is added to it any more. */
export type CopySource = Pick<EventStore, 'identity' | 'readAll' | 'head'> & Partial<Pick<EventStore, 'subscribe'>>;

export type Copying = {
  readonly runtime: Runtime;
  /** Keep copying new events until `signal` aborts; otherwise end at the end of the source. */
  readonly follow: boolean;
  readonly signal: AbortSignal;
  /** Every event with its counterpart in the target, once, in order, after it was verified there. */
  readonly onPair: OnPair;
  readonly onProgress: (phase: CopyPhase, events: number, source: Position) => void;
};

export type Copied = {
  /** Events that the target holds, every one of them compared with the source, every chain recomputed. */
  readonly events: number;
  readonly streams: number;
  /** How many of them this run has copied. */
  readonly copied: number;
  /** Whether the source has no event beyond them. */
  readonly isLevel: boolean;
  /** False when `signal` interrupted it. A copy that follows is complete when it is stopped. */
  readonly isComplete: boolean;
};

/** Makes sure that the target has the identity of the source; an empty one takes it over. */
const bindTarget = async (source: CopySource, target: LogTarget): Promise<E.Either<CopyFailure, void>> => {
  const identity = await source.identity();
  if (E.isLeft(identity)) return identity;
  const adopted = await target.adoptIdentity(identity.right);
  if (E.isRight(adopted)) return adopted;
  const failure = adopted.left;
  if (failure._tag !== 'LogNotEmpty') return E.left(failure);
  return failure.identity === identity.right
    ? E.right(undefined)
    : E.left({ _tag: 'OtherLog', source: identity.right, target: failure.identity });
};

const batchesAfter = (source: CopySource, after: From, { follow, signal }: Copying): AsyncIterable<LogBatch> =>
  (follow ? source.subscribe?.({ after }, signal) : undefined) ?? source.readAll({ after });

const isLevel = async (source: CopySource, verifiedUpTo: From): Promise<boolean> => {
  const head = orThrow(await source.head());
  return head === undefined || (verifiedUpTo !== 'start' && verifiedUpTo.commit >= head);
};

/**
 * Makes the target a copy of the source: the same events in the same order, with their ids, revisions, texts and
 * hashes, under the same name. A target that holds the beginning of the source already is compared with it and
 * continued, so a copy that was interrupted can be resumed. Nothing else may write into the target. Reads the source
 * once, the target once, and remembers about 65 bytes a stream. Rejects with `StoreUnavailable` when reading fails.
 */
export const copyLog = async (
  source: CopySource,
  target: LogTarget,
  copying: Copying,
): Promise<E.Either<CopyFailure, Copied>> => {
  const { runtime, follow, signal, onPair, onProgress } = copying;
  const isInterrupted = (): boolean => signal.aborted;
  const verifier = makeCopyVerifier(runtime.random, source, target);
  const paired =
    (phase: CopyPhase): OnPair =>
    (one, other) => {
      onPair(one, other);
      onProgress(phase, verifier.events(), one.position);
    };
  const resultOf = async (copied: number, isComplete: boolean): Promise<E.Either<CopyFailure, Copied>> =>
    E.right({
      events: verifier.events(),
      streams: verifier.streams(),
      copied,
      isComplete,
      isLevel: isComplete && (await isLevel(source, verifier.verifiedUpTo())),
    });

  const bound = await bindTarget(source, target);
  if (E.isLeft(bound)) return bound;

  const compared = await verifier.verify(paired('comparing'), signal);
  if (E.isLeft(compared)) return compared;
  if (isInterrupted()) return resultOf(0, false);

  const copied = await copyBatches(batchesAfter(source, verifier.verifiedUpTo(), copying), target, {
    runtime,
    onCopied: (events, { checkpoint }) => onProgress('copying', events, checkpoint.commit),
    signal,
  });
  if (E.isLeft(copied)) return copied;
  if (isInterrupted() && !follow) return resultOf(copied.right, false);

  const verified = await verifier.verify(paired('verifying'));
  return E.isLeft(verified) ? verified : resultOf(copied.right, true);
};
