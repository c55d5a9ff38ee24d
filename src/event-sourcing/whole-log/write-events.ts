import { either as E } from 'fp-ts';
import type { AppendFailure } from '../event-store.js';
import type { StoredEvent } from '../recorded-event.js';
import { gatherAppends } from './gather-appends.js';
import type { LogTarget } from './log-target.js';

/** Events that travel together, and their size together in characters. */
const BATCH = 500;
const BATCH_CHARACTERS = 4 * 1024 * 1024;

/** Writes a log into a target in the order in which its events are given, a batch at a time. */
type EventWriter = {
  /** Takes an event; writes a batch when one is full. */
  readonly add: (event: StoredEvent) => Promise<E.Either<AppendFailure, void>>;
  /** Writes what has been taken and not yet written. */
  readonly flush: () => Promise<E.Either<AppendFailure, void>>;
};

export const makeEventWriter = (target: LogTarget): EventWriter => {
  let taken: Array<StoredEvent> = [];
  let characters = 0;

  const flush: EventWriter['flush'] = () => {
    const batch = taken;
    taken = [];
    characters = 0;
    return target.appendInOrder(gatherAppends(batch));
  };

  return {
    add: (event) => {
      taken.push(event);
      characters += event.data.length + event.metadata.length;
      return taken.length >= BATCH || characters >= BATCH_CHARACTERS ? flush() : Promise.resolve(E.right(undefined));
    },
    flush,
  };
};
