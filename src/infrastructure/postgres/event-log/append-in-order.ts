import { either as E } from 'fp-ts';
import { appendBytes } from '../../../event-sourcing/append-limits.js';
import type { AppendFailure } from '../../../event-sourcing/event-store.js';
import type { Append } from '../../../event-sourcing/whole-log/log-target.js';
import { type AppendQueue, defaultAppendLimits } from './append-queue.js';

/** Cuts a list into batches, each of which the queue commits in one transaction and in this order. */
const batchesOf = (appends: ReadonlyArray<Append>): ReadonlyArray<ReadonlyArray<Append>> => {
  const batches: Array<Array<Append>> = [];
  let streams = new Set<string>();
  let bytes = 0;
  for (const append of appends) {
    const size = appendBytes(append.events);
    const current = batches.at(-1);
    const fits = streams.size < defaultAppendLimits.batch && bytes + size <= defaultAppendLimits.batchBytes;
    if (current !== undefined && fits && !streams.has(append.stream)) current.push(append);
    else {
      batches.push([append]);
      streams = new Set();
      bytes = 0;
    }
    streams.add(append.stream);
    bytes += size;
  }
  return batches;
};

/** Appends in the order given, up to the first failure. Nobody else may use the queue meanwhile. */
export const appendInOrder = async (
  queue: AppendQueue,
  appends: ReadonlyArray<Append>,
): Promise<E.Either<AppendFailure, void>> => {
  for (const batch of batchesOf(appends)) {
    const outcomes = await Promise.all(batch.map((append) => queue.add(append)));
    const failure = outcomes.find(E.isLeft);
    if (failure !== undefined) return failure;
  }
  return E.right(undefined);
};
