import { either as E } from 'fp-ts';
import { CheckpointNotInLog, StoreUnavailable, StreamTruncated } from '../../src/event-sourcing/event-store.js';
import { isDatabaseError } from '../../src/postgres/sql-failure.js';

/** Why rows are not of the connected log: it has another name, or lacks events that the rows show. */
export type WrongLog = {
  readonly _tag: 'WrongLog';
  readonly difference: 'OtherLog' | 'OtherPast';
  readonly reason: string;
  /** The reason, and what an operator can do. */
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
  /** The state of the read models or of the service does not allow the command. */
  | { readonly _tag: 'NotAllowed'; readonly message: string }
  /** The rebuilt rows and the live rows could not be brought to the same position. */
  | { readonly _tag: 'NotLevel'; readonly message: string }
  /** The database rejected a row of a chunk, so nothing of the chunk was written. */
  | { readonly _tag: 'RowsRejected'; readonly message: string };

/**
 * Carries an `EngineFailure` through transactions and iterations. Operators' commands get it as a value, by
 * `attemptInEngine`.
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

/** The engine's failure in an error; undefined when it has none of these tags. */
export const failureIn = <Tag extends EngineFailure['_tag']>(
  thrown: unknown,
  ...tags: ReadonlyArray<Tag>
): Extract<EngineFailure, { _tag: Tag }> | undefined =>
  thrown instanceof EngineError && tags.some((tag) => tag === thrown.failure._tag)
    ? // reason: just compared
      (thrown.failure as Extract<EngineFailure, { _tag: Tag }>)
    : undefined;

/**
 * Whether a later attempt may succeed (log or database away, another process took over), as opposed to a fault of ours or
 * of the log.
 */
export const isTransient = (thrown: unknown): boolean =>
  thrown instanceof EngineError ||
  (thrown instanceof StoreUnavailable && !(thrown instanceof StreamTruncated)) ||
  thrown instanceof CheckpointNotInLog ||
  isDatabaseError(thrown);

/** The bridge out of the engine: gives its own failures as values and lets every other error through. */
export const attemptInEngine = async <A>(work: () => Promise<A>): Promise<E.Either<EngineFailure, A>> => {
  try {
    return E.right(await work());
  } catch (thrown) {
    if (thrown instanceof EngineError) return E.left(thrown.failure);
    throw thrown;
  }
};
