import { setMaxListeners } from 'node:events';
import { asStoreUnavailable, StoreUnavailable } from '../../event-sourcing/event-store.js';
import { pause } from '../../event-sourcing/pause.js';
import { toError } from './call-failed.js';
import { nameOf, type Settings } from './connection-string.js';
import { findLeader } from './find-leader.js';
import { makeAsker } from './gossip.js';
import type { OnConnectionEvent } from '../../event-sourcing/connection-event.js';
import { type Node, openNode } from './node.js';
import { pauseOf, type Timings, within } from './timings.js';

/** The one connection to the leader that all calls share. */
export type Connection = {
  /**
   * The leader, searched for when there is none. Rejects with `StoreUnavailable` at `until` (of `performance.now`,
   * `patience` from now unless said otherwise); at once when the log has been out of reach for longer, so that nobody
   * queues before a log that is down.
   */
  readonly node: (until?: number) => Promise<Node>;
  /** Gives a node up that failed; the next call searches anew. Only the first of many that met the failure counts. */
  readonly giveUp: (failed: Node, cause: Error) => void;
  /** Aborts when the connection is closed: nobody tries again then. */
  readonly closed: AbortSignal;
  readonly close: () => void;
};

type Outage = { readonly since: number; readonly failures: number; readonly cause: Error };

export const makeConnection = (
  settings: Settings,
  timings: Timings,
  onConnectionEvent: OnConnectionEvent,
): Connection => {
  const closing = new AbortController();
  // everybody who waits for a connection listens
  setMaxListeners(0, closing.signal);
  // of several nodes a slow one is left behind; there is nobody to turn to from a single one
  const asker = makeAsker(settings, settings.isDiscovered ? timings.gossip : timings.patience);
  let current: Node | undefined;
  let search: Promise<Node> | undefined;
  let outage: Outage | undefined;
  let wasConnected = false;

  const connect = async (): Promise<Node> => {
    if (outage !== undefined) await pause(pauseOf(timings, outage.failures - 1), closing.signal);
    const leader = await findLeader(settings, asker);
    const endpoint = nameOf(leader);
    if (closing.signal.aborted) throw new StoreUnavailable('the connection to EventStoreDB is closed');
    current = openNode(endpoint, settings, asker.take(leader));
    outage = undefined;
    asker.close();
    onConnectionEvent({ kind: wasConnected ? 'reconnected' : 'connected', endpoint });
    wasConnected = true;
    return current;
  };

  const failedSearch = (thrown: unknown): never => {
    const cause = toError(thrown);
    outage = { since: outage?.since ?? performance.now(), failures: (outage?.failures ?? 0) + 1, cause };
    if (outage.failures === 1) onConnectionEvent({ kind: 'unreachable', cause });
    throw asStoreUnavailable(thrown);
  };

  const searching = (): Promise<Node> => {
    search ??= connect()
      .catch(failedSearch)
      .finally(() => (search = undefined));
    // whoever waits gets the failure; that nobody waits any more is no failure of its own
    search.catch(() => undefined);
    return search;
  };

  const node = async (until: number = performance.now() + timings.patience): Promise<Node> => {
    for (;;) {
      if (closing.signal.aborted) throw new StoreUnavailable('the connection to EventStoreDB is closed');
      if (current !== undefined) return current;
      const found = searching();
      if (outage !== undefined && performance.now() - outage.since > 2 * timings.patience)
        throw asStoreUnavailable(outage.cause);
      const first = await within(until - performance.now(), found.catch(asStoreUnavailable), closing.signal);
      if (first !== undefined && !(first instanceof StoreUnavailable)) return first;
      if (performance.now() >= until) throw first ?? new StoreUnavailable('EventStoreDB did not answer in time');
    }
  };

  return {
    node,
    closed: closing.signal,
    giveUp: (failed, cause) => {
      if (current !== failed) return;
      current = undefined;
      failed.retire();
      onConnectionEvent({ kind: 'connection-lost', connection: failed.endpoint, cause });
    },
    close: () => {
      closing.abort();
      current?.retire();
      current = undefined;
      asker.close();
    },
  };
};
