import { either as E } from 'fp-ts';
import type { OnConnectionEvent } from '../../../src/event-sourcing/connection-event.js';
import { SILENCE_MS } from '../../../src/event-sourcing/answer-deadline.js';
import { type EventStore, StoreUnavailable } from '../../../src/event-sourcing/event-store.js';
import type { Failure, Way } from '../way.js';
import { ofLog } from './failures.js';

type Options = {
  readonly monotonic: () => number;
  readonly onConnectionEvent: OnConnectionEvent;
};

const overdue = new StoreUnavailable('no time is left for a call');
const noTime = Promise.resolve(E.left(overdue));

/** The log, as a process reaches it. What repeats calls tells of each connection that it has lost. */
export const logBy = (way: Way, store: EventStore, { monotonic, onConnectionEvent }: Options): EventStore => {
  const failed = (failure: Failure): StoreUnavailable => {
    const cause = ofLog(failure);
    if (failure !== 'Full') onConnectionEvent({ kind: 'connection-lost', connection: 'the log', cause });
    return cause;
  };
  const left = (failure: Failure) => Promise.resolve(E.left(failed(failure)));
  const thrown = (failure: Failure): Promise<never> => Promise.reject(failed(failure));

  /** How long a call is waited for; undefined when it is not made. */
  const within = (until = Infinity): { readonly patienceMs: number } | undefined => {
    const ms = until - monotonic();
    return ms > 0 ? { patienceMs: Math.min(ms, SILENCE_MS) } : undefined;
  };

  return {
    append: (stream, expected, events, until, mayAppend) => {
      const options = within(until);
      if (options === undefined) return noTime;
      const effect = async () => {
        const may = await mayAppend?.();
        return may !== undefined && E.isLeft(may) ? may : store.append(stream, expected, events);
      };
      return way.call('append', effect, left, options);
    },
    newestRevision: (stream, until) => {
      const options = within(until);
      return options === undefined
        ? noTime
        : way.call('newest revision', () => store.newestRevision(stream), left, options);
    },
    head: (categories) => way.call('head', () => store.head(categories), left),
    reaches: (checkpoint) => way.call('reaches', () => store.reaches(checkpoint), left),
    identity: () => way.call('identity', store.identity, left),
    readStream: async function* (stream, range) {
      const options = within(range.until);
      if (options === undefined) throw overdue;
      for await (const page of way.pull('read stream', store.readStream(stream, range), thrown, options)) {
        yield page;
        if (page.isLast) return;
      }
    },
    readAll: (range) => way.pull('read log', store.readAll(range), thrown),
    subscribe: (range, signal) => way.follow('subscribe', store.subscribe(range, signal), signal),
  };
};
