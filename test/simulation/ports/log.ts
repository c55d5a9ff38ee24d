import { either as E } from 'fp-ts';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { Failure, Way } from '../way.js';
import { ofLog } from './failures.js';

const left = (failure: Failure) => Promise.resolve(E.left(ofLog(failure)));

const thrown = (failure: Failure): Promise<never> => Promise.reject(ofLog(failure));

/** The log, as a process reaches it. */
export const logBy = (way: Way, monotonic: () => number, store: EventStore): EventStore => ({
  append: (stream, expected, events, mayAppend) =>
    way.call(
      'append',
      async () => {
        const may = await mayAppend?.();
        return may !== undefined && E.isLeft(may) ? may : store.append(stream, expected, events);
      },
      left,
    ),
  newestRevision: (stream) => way.call('newest revision', () => store.newestRevision(stream), left),
  head: (categories) => way.call('head', () => store.head(categories), left),
  reaches: (checkpoint) => way.call('reaches', () => store.reaches(checkpoint), left),
  identity: () => way.call('identity', store.identity, left),
  readStream: (stream, range) => {
    const { until } = range;
    const options = until === undefined ? {} : { patienceMs: Math.max(0, until - monotonic()) };
    return way.pull('read stream', store.readStream(stream, range), thrown, options);
  },
  readAll: (range) => way.pull('read log', store.readAll(range), thrown),
  subscribe: (range, signal) => way.follow('subscribe', store.subscribe(range, signal), signal),
});
