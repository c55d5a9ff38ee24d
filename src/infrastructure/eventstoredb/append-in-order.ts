import { either as E } from 'fp-ts';
import type { EventStore } from '../../event-sourcing/event-store.js';
import type { LogTarget } from '../../event-sourcing/whole-log/log-target.js';

/** One after the other: calls that are under way together may be stored in any order. */
export const makeAppendInOrder =
  (append: EventStore['append']): LogTarget['appendInOrder'] =>
  (appends) =>
  async () => {
    for (const { stream, expected, events } of appends) {
      const outcome = await append(stream, expected, events)();
      if (E.isLeft(outcome)) return outcome;
    }
    return E.right(undefined);
  };
