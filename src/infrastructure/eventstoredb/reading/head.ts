import type { EventStore } from '../../../event-sourcing/event-store.js';
import type { Checkpoint, Position } from '../../../event-sourcing/recorded-event.js';
import { nothingCame } from '../connection/call-failed.js';
import type { Node } from '../connection/node.js';
import { type Access, readOnLeader } from '../connection/on-leader.js';
import { readPage } from './read-page.js';
import { newestRequest, subscriptionRequest } from './read-request.js';
import { batchIn, isCaughtUp, isUserEvent } from './read-response.js';
import { callSubscription } from './subscription-call.js';

/** Commit position of the last record of the whole log, the database's own included. Rejects with `CallFailed`. */
export const endOfLog = async (node: Node, timeout: number): Promise<Position> =>
  (await readPage(node, newestRequest(), timeout)).events[0]?.position ?? 0n;

/** The result of a search: position of the newest event of some categories, in the log up to `end`. */
type Known = { readonly end: Position; readonly position: Position | undefined };

/** By the names of the categories. */
type Searches = { readonly known: Map<string, Known>; readonly running: Map<string, Promise<unknown>> };

/** Valid as long as the connection: whoever truncates or replaces a log stops its server. */
const searchesByNode = new WeakMap<Node, Searches>();

const searchesOf = (node: Node): Searches => {
  const searches = searchesByNode.get(node) ?? { known: new Map(), running: new Map() };
  searchesByNode.set(node, searches);
  return searches;
};

const checkpointAt = (position: Position): Checkpoint => ({ commit: position, prepare: position });

/**
 * Backwards from the end: 1 ms, or 44 ms behind 10,000 records of other categories. Where none matches, the server looks
 * through its whole log before it sends anything, so `isWorking` distinguishes such a search from a server that is gone.
 */
const searchBackwards = async (
  node: Node,
  categories: ReadonlyArray<string>,
  timeout: number,
  isWorking?: () => Promise<boolean>,
): Promise<Position | undefined> => {
  let before: Checkpoint | undefined;
  for (;;) {
    const page = await readPage(node, newestRequest(categories, before), timeout, { isWorking });
    const [event] = page.events;
    if (event === undefined || isUserEvent(event)) return event?.position;
    before = checkpointAt(event.position);
  }
};

/** Forwards from what is known: a subscription reports its progress also where nothing matches. */
const searchForwards = async (
  node: Node,
  categories: ReadonlyArray<string>,
  timeout: number,
  { end, position }: Known,
): Promise<Position | undefined> => {
  const call = callSubscription(node, subscriptionRequest(checkpointAt(end), categories), new AbortController().signal);
  try {
    let newest = position;
    for (let reached = checkpointAt(end); ;) {
      const messages = await call.take(timeout);
      if (messages.length === 0) throw nothingCame(timeout);
      const batch = batchIn(messages, reached);
      newest = batch?.events.at(-1)?.position ?? newest;
      reached = batch?.checkpoint ?? reached;
      if (isCaughtUp(messages)) return newest;
    }
  } finally {
    call.cancel();
  }
};

/**
 * Once most of the log is known, a search backwards may take so many ms: the newest event is near the end, or not in the
 * part that is new.
 */
const NEAR_END = 100;

const search = async (
  node: Node,
  categories: ReadonlyArray<string>,
  timeout: number,
  known: Searches['known'],
): Promise<Position | undefined> => {
  const key = categories.join();
  const end = await endOfLog(node, timeout);
  const before = known.get(key);
  if (before?.end === end) return before.position;
  // a search that fails because of what is known must not fail again
  known.delete(key);
  const isWorking = (): Promise<boolean> =>
    endOfLog(node, timeout).then(
      () => true,
      () => false,
    );
  const position =
    before === undefined
      ? await searchBackwards(node, categories, timeout, isWorking)
      : await searchBackwards(node, categories, Math.min(NEAR_END, timeout)).catch(() =>
          searchForwards(node, categories, timeout, before),
        );
  known.set(key, { end, position });
  return position;
};

/**
 * Position of the newest event of these categories. The first search on a node takes as long as the server needs for its
 * log; later ones look at new records only, and wait for one that is running. Rejects with `CallFailed`.
 */
export const newestPosition = async (
  node: Node,
  categories: ReadonlyArray<string>,
  timeout: number,
): Promise<Position | undefined> => {
  const { known, running } = searchesOf(node);
  const key = categories.join();
  const before = running.get(key);
  // without a running search nothing is awaited here: two calls at the same time would otherwise begin one each
  if (before !== undefined) await before.catch(() => undefined);
  const searching = search(node, categories, timeout, known);
  running.set(key, searching);
  try {
    return await searching;
  } finally {
    if (running.get(key) === searching) running.delete(key);
  }
};

export const makeHead =
  (access: Access, all: ReadonlyArray<string>): EventStore['head'] =>
  (categories = all) =>
    readOnLeader(access, (node, timeout) => newestPosition(node, categories, timeout));
