import { either as E, type taskEither as TE } from 'fp-ts';
import type { StreamName } from './recorded-event.js';

/** More commands wait for this entity than the queue may hold, or its retries ran out. */
export type StreamContended = { readonly _tag: 'StreamContended'; readonly stream: StreamName };

type CommandQueue = <A, Failure>(
  stream: StreamName,
  task: TE.TaskEither<Failure, A>,
) => TE.TaskEither<Failure | StreamContended, A>;

/**
 * Runs the commands of one stream one after the other, in the order of arrival, so that writers of this process do
 * not conflict with each other. At most `limit` wait per stream; further ones are refused at once.
 */
export const makeCommandQueue = (limit: number): CommandQueue => {
  const tails = new Map<StreamName, { last: Promise<unknown>; waiting: number }>();

  return (stream, task) => async () => {
    const tail = tails.get(stream) ?? { last: Promise.resolve(), waiting: 0 };
    if (tail.waiting >= limit) return E.left({ _tag: 'StreamContended', stream });
    tails.set(stream, tail);
    tail.waiting += 1;
    const turn = tail.waiting === 1 ? task() : tail.last.then(task, task);
    tail.last = turn;
    try {
      return await turn;
    } finally {
      tail.waiting -= 1;
      if (tail.waiting === 0) tails.delete(stream);
    }
  };
};
