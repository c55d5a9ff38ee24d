import type { EventStore } from '../../event-sourcing/event-store.js';
import type { Checkpoint, Position, StoredEvent } from '../../event-sourcing/recorded-event.js';
import { taskEither as TE } from 'fp-ts';
import { asStoreUnavailable } from './call-failed.js';
import type { Node } from './node.js';
import { type Access, onLeader } from './on-leader.js';
import { readPage } from './read-page.js';
import { newest } from './read-request.js';
import { isOurs } from './stored-event.js';

/** Commit position of the last record of the whole log, foreign ones included. */
export const endOfLog = async (node: Node, silence: number): Promise<Position> =>
  (await readPage(node, newest(1), silence)).events[0]?.position ?? 0n;

const behind = ({ position }: StoredEvent): Checkpoint => ({ commit: position, prepare: position });

/** Position of the newest event of these categories. Rejects with `CallFailed`. */
export const newestPosition = async (
  node: Node,
  categories: ReadonlyArray<string>,
  silence: number,
): Promise<Position | undefined> => {
  let before: Checkpoint | undefined;
  for (;;) {
    const [event] = (await readPage(node, newest(1, categories, before), silence)).events;
    if (event === undefined || isOurs(event)) return event?.position;
    before = behind(event);
  }
};

/** The server looks for it itself, from the end backwards: 1 ms, or 44 ms behind 10,000 foreign records. */
export const makeHead =
  (access: Access, ours: ReadonlyArray<string>): EventStore['head'] =>
  (categories = ours) =>
    TE.tryCatch(
      () => onLeader(access, (node) => newestPosition(node, categories, access.timings.silence)),
      asStoreUnavailable,
    );
