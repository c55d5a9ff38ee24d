import { either as E } from 'fp-ts';
import { CheckpointNotInLog, StoreUnavailable } from '../../src/event-sourcing/event-store.js';
import { isDatabaseError } from '../../src/postgres/sql-failure.js';

/** Why rows are not of the log that is connected: it has another name, or it does not hold what they show. */
export type WrongLog = {
  readonly _tag: 'WrongLog';
  readonly difference: 'OtherLog' | 'OtherPast';
  /** What does not fit. */
  readonly reason: string;
  /** The reason, and what an operator can do about it. */
  readonly message: string;
};

/** What keeps the engine from going on; each message is for an operator. */
export type EngineFailure =
  | WrongLog
  /** Another process writes the generation: nothing was written, and nothing may be. */
  | { readonly _tag: 'LeaseLost'; readonly message: string }
  /** Another generation has become the live one. */
  | { readonly _tag: 'Replaced'; readonly message: string }
  /** There are no live rows that this program could check or write. */
  | { readonly _tag: 'NoLiveRows'; readonly message: string }
  /** What was asked for cannot be done as things are. */
  | { readonly _tag: 'NotAllowed'; readonly message: string }
  /** A rebuild and the live rows could not be brought to one position. */
  | { readonly _tag: 'NotLevel'; readonly message: string }
  /** The database rejects a row of a chunk, so that none of the chunk was written. */
  | { readonly _tag: 'RowsRejected'; readonly message: string };

/**
 * An `EngineFailure` on its way out of a transaction or an iteration, which only an error ends. It does not leave the
 * engine: operators' commands are given the failure as a value.
 */
export class EngineError extends Error {
  readonly failure: EngineFailure;
  constructor(failure: EngineFailure, cause?: unknown) {
    super(failure.message, { cause });
    this.name = failure._tag;
    this.failure = failure;
  }
}

export const leaseLost = (generation: string): EngineError =>
  new EngineError({ _tag: 'LeaseLost', message: `another process writes ${generation}` });

export const rowsRejected = (message: string, cause?: unknown): EngineError =>
  new EngineError({ _tag: 'RowsRejected', message }, cause);

export const notAllowed = (message: string): EngineError => new EngineError({ _tag: 'NotAllowed', message });

/** The failure in what was thrown, where it is one of these. */
export const failureIn = <Tag extends EngineFailure['_tag']>(
  thrown: unknown,
  ...tags: ReadonlyArray<Tag>
): Extract<EngineFailure, { _tag: Tag }> | undefined =>
  thrown instanceof EngineError && tags.some((tag) => tag === thrown.failure._tag)
    ? // reason: just compared
      (thrown.failure as Extract<EngineFailure, { _tag: Tag }>)
    : undefined;

/** Whether log or database were away, or others have taken over: what passes, as opposed to a fault of ours. */
export const isPassing = (thrown: unknown): boolean =>
  thrown instanceof EngineError ||
  thrown instanceof StoreUnavailable ||
  thrown instanceof CheckpointNotInLog ||
  isDatabaseError(thrown);

/** The bridge out of the engine: its own failures become values, everything else stays what it is. */
export const attemptInEngine = async <A>(work: () => Promise<A>): Promise<E.Either<EngineFailure, A>> => {
  try {
    return E.right(await work());
  } catch (thrown) {
    if (thrown instanceof EngineError) return E.left(thrown.failure);
    throw thrown;
  }
};
