import type { Checkpoint, Position, StoredEvent } from '../../event-sourcing/recorded-event.js';
import { CallFailed } from './call-failed.js';
import { endOfLog } from './end-of-log.js';
import { batchOf } from './log-batch.js';
import { openFeed } from './log-feed.js';
import type { Node } from './node.js';
import { readPage } from './read-page.js';
import { newest, subscription } from './read-request.js';
import { isOurs } from './stored-event.js';

/** How long the newest event is looked for from the end, ms, when most of the log is known: it is near or nowhere. */
const NEARBY = 100;

/** What a node has said: up to the record at `end` the newest event of some categories is at `position`. */
type Known = { readonly end: Position; readonly position: Position | undefined };

/**
 * By the names of the categories. Kept as long as the connection: whoever cuts or replaces a log stops its server. A
 * search that runs is waited for by those who come later, so that they only look at what came after it.
 */
type Memory = { readonly known: Map<string, Known>; readonly searching: Map<string, Promise<unknown>> };

const memories = new WeakMap<Node, Memory>();

const memoryOf = (node: Node): Memory => {
  const memory = memories.get(node) ?? {
    known: new Map<string, Known>(),
    searching: new Map<string, Promise<unknown>>(),
  };
  memories.set(node, memory);
  return memory;
};

const placeOf = (position: Position): Checkpoint => ({ commit: position, prepare: position });

/**
 * From the end backwards; 1 ms, or 44 ms behind 10,000 foreign records. Where none matches, the server looks through
 * its whole log before it says a word, so that `isAlive` tells such a search from a server that is gone.
 */
const fromTheEnd = async (
  node: Node,
  categories: ReadonlyArray<string>,
  silence: number,
  isAlive?: () => Promise<boolean>,
): Promise<Position | undefined> => {
  let before: Checkpoint | undefined;
  for (;;) {
    const found: StoredEvent | undefined = (await readPage(node, newest(1, categories, before), silence, isAlive))
      .events[0];
    if (found === undefined || isOurs(found)) return found?.position;
    before = placeOf(found.position);
  }
};

/** Forwards over what came behind `known`: a subscription tells how far it is also where nothing matches. */
const sinceKnown = async (
  node: Node,
  categories: ReadonlyArray<string>,
  silence: number,
  { end, position }: Known,
): Promise<Position | undefined> => {
  const over = new AbortController();
  const feed = openFeed(node, subscription(placeOf(end), categories), over.signal);
  try {
    let newestFound = position;
    for (let seen = placeOf(end); ;) {
      const responses = await feed.take(silence);
      if (responses.length === 0) throw new CallFailed('unknown', `EventStoreDB: nothing came for ${silence} ms`);
      const batch = batchOf(responses, seen);
      newestFound = batch?.events.at(-1)?.position ?? newestFound;
      seen = batch?.checkpoint ?? seen;
      if (responses.some((response) => response.hasCaughtUp())) return newestFound;
    }
  } finally {
    feed.cancel();
  }
};

const search = async (
  node: Node,
  categories: ReadonlyArray<string>,
  silence: number,
  { known }: Memory,
): Promise<Position | undefined> => {
  const key = categories.join();
  const end = await endOfLog(node, silence);
  const before = known.get(key);
  if (before?.end === end) return before.position;
  // forgotten until it is known anew: what fails once with it shall not fail for ever
  known.delete(key);
  const isAlive = (): Promise<boolean> =>
    endOfLog(node, silence).then(
      () => true,
      () => false,
    );
  const position =
    before === undefined
      ? await fromTheEnd(node, categories, silence, isAlive)
      : await fromTheEnd(node, categories, Math.min(NEARBY, silence)).catch(() =>
          sinceKnown(node, categories, silence, before),
        );
  known.set(key, { end, position });
  return position;
};

/**
 * Position of the newest event of these categories. The first question to a node may take as long as the server needs
 * for its log, those that follow look at what is new. Rejects with `CallFailed`.
 */
export const newestPosition = async (
  node: Node,
  categories: ReadonlyArray<string>,
  silence: number,
): Promise<Position | undefined> => {
  const memory = memoryOf(node);
  const key = categories.join();
  const running = memory.searching.get(key);
  // without one nothing is awaited, or those who ask in the same turn would each begin theirs
  if (running !== undefined) await running.catch(() => undefined);
  const searching = search(node, categories, silence, memory);
  memory.searching.set(key, searching);
  try {
    return await searching;
  } finally {
    if (memory.searching.get(key) === searching) memory.searching.delete(key);
  }
};
