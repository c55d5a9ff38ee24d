import type { Position } from '../../../src/event-sourcing/recorded-event.js';
import type { ReadModelStorage } from '../storage.js';

/**
 * Notes beside the rows of a read model that a change at this position is acknowledged though they lack it. Resolves when
 * that is durable; rejects when it cannot be, within seconds.
 */
export type NoteAcknowledged = (position: Position) => Promise<void>;

type Next = { position: Position; readonly done: Promise<void> };

/** One note is written at a time; what comes meanwhile is written together, as the newest position of it. */
export const makeNoteAcknowledged = (
  storage: Pick<ReadModelStorage, 'noteAcknowledged'>,
  projection: string,
): NoteAcknowledged => {
  let before: Promise<unknown> = Promise.resolve();
  let next: Next | undefined;
  const begin = (position: Position): Next => {
    const done = before.then(() => {
      const newest = next?.position ?? position;
      next = undefined;
      return storage.noteAcknowledged(projection, newest);
    });
    before = done.catch(() => undefined);
    return { position, done };
  };

  return (position) => {
    if (next === undefined) next = begin(position);
    else if (position > next.position) next.position = position;
    return next.done;
  };
};
