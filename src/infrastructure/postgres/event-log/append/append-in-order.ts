import { either as E } from 'fp-ts';
import { appendBytes } from '../../../../event-sourcing/append-limits.js';
import type { AppendFailure } from '../../../../event-sourcing/event-store.js';
import type { Append } from '../../../../event-sourcing/whole-log/log-target.js';
import { type AppendQueue, defaultAppendLimits } from './append-queue.js';

/** Cuts a list into stretches that the queue commits as one batch each: in one transaction, in their order. */
const stretchesOf = (appends: ReadonlyArray<Append>): ReadonlyArray<ReadonlyArray<Append>> => {
  const stretches: Array<Array<Append>> = [];
  let streams = new Set<string>();
  let bytes = 0;
  for (const append of appends) {
    const size = appendBytes(append.events);
    const current = stretches.at(-1);
    const fits = streams.size < defaultAppendLimits.batch && bytes + size <= defaultAppendLimits.batchBytes;
    if (current !== undefined && fits && !streams.has(append.stream)) current.push(append);
    else {
      stretches.push([append]);
      streams = new Set();
      bytes = 0;
    }
    streams.add(append.stream);
    bytes += size;
  }
  return stretches;
};

/** Appends through a queue that nobody else uses, so that the log has them in the order given; ends at a failure. */
export const appendInOrder = async (
  queue: AppendQueue,
  appends: ReadonlyArray<Append>,
): Promise<E.Either<AppendFailure, void>> => {
  for (const stretch of stretchesOf(appends)) {
    const outcomes = await Promise.all(stretch.map((append) => queue.add(append)));
    const failure = outcomes.find(E.isLeft);
    if (failure !== undefined) return failure;
  }
  return E.right(undefined);
};
