import { either as E } from 'fp-ts';
import type { StreamName } from '../recorded-event.js';

/** The queue of this entity is full, or a command has used up its retries. */
export type StreamContended = { readonly _tag: 'StreamContended'; readonly stream: StreamName };

export type CommandQueue = <A, Failure>(
  stream: StreamName,
  task: () => Promise<E.Either<Failure, A>>,
) => Promise<E.Either<Failure | StreamContended, A>>;

type Tail = {
  last: Promise<unknown>;
  waiting: number;
  arrived: number;
  /** The last shared failure; commands that had arrived by then fail with it, too. */
  shared: { readonly failure: unknown; readonly arrived: number } | undefined;
};

/**
 * Runs the commands of one stream one after the other, in the order of arrival, so that writers of this process do
 * not conflict with each other. At most `limit` wait per stream; further ones fail at once. When a command fails with a
 * failure that `isShared`, those that were waiting then fail with it without running: each would meet it again.
 */
export const makeCommandQueue = (
  limit: number,
  isShared: (failure: unknown) => boolean = () => false,
): CommandQueue => {
  const tails = new Map<StreamName, Tail>();

  return async <A, Failure>(stream: StreamName, task: () => Promise<E.Either<Failure, A>>) => {
    const tail = tails.get(stream) ?? { last: Promise.resolve(), waiting: 0, arrived: 0, shared: undefined };
    if (tail.waiting >= limit) return E.left({ _tag: 'StreamContended', stream });
    tails.set(stream, tail);
    tail.waiting += 1;
    tail.arrived += 1;
    const arrival = tail.arrived;
    const run = async (): ReturnType<typeof task> => {
      // reason: all commands of one stream have the same type of failure
      if (tail.shared !== undefined && arrival <= tail.shared.arrived) return E.left(tail.shared.failure as Failure);
      const outcome = await task();
      if (E.isLeft(outcome) && isShared(outcome.left)) tail.shared = { failure: outcome.left, arrived: tail.arrived };
      return outcome;
    };
    const current = tail.waiting === 1 ? run() : tail.last.then(run, run);
    tail.last = current;
    try {
      return await current;
    } finally {
      tail.waiting -= 1;
      if (tail.waiting === 0) tails.delete(stream);
    }
  };
};
