import { either as E } from 'fp-ts';
import type { OnConnectionEvent } from '../../../src/event-sourcing/connection-event.js';
import type { EventStore, StoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import type { Failure, Way } from '../way.js';
import { ofLog } from './failures.js';

type Options = {
  readonly monotonic: () => number;
  readonly onConnectionEvent: OnConnectionEvent;
};

/** The log, as a process reaches it. What repeats calls tells of each connection that it has lost. */
export const logBy = (way: Way, store: EventStore, { monotonic, onConnectionEvent }: Options): EventStore => {
  const failed = (failure: Failure): StoreUnavailable => {
    const cause = ofLog(failure);
    if (failure !== 'Full') onConnectionEvent({ kind: 'connection-lost', connection: 'the log', cause });
    return cause;
  };
  const left = (failure: Failure) => Promise.resolve(E.left(failed(failure)));
  const thrown = (failure: Failure): Promise<never> => Promise.reject(failed(failure));

  return {
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
  };
};
