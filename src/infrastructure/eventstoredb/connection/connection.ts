import { setMaxListeners } from 'node:events';
import { connectivityState } from '@grpc/grpc-js';
import { either as E } from 'fp-ts';
import { attempt } from '../../../event-sourcing/attempt.js';
import type { OnConnectionEvent } from '../../../event-sourcing/connection-event.js';
import { asStoreUnavailable, StoreUnavailable } from '../../../event-sourcing/event-store.js';
import { makeRetry, type Retry } from '../../../event-sourcing/retry.js';
import type { Runtime } from '../../../event-sourcing/runtime.js';
import { withTimeout } from '../../../event-sourcing/with-timeout.js';
import type { Timings } from '../options.js';
import { nameOf, type Settings } from './connection-string.js';
import { findLeader, makeGossipClients } from './find-leader.js';
import { type Node, openNode } from './node.js';

/** The one connection to the leader that all calls share. */
export type Connection = {
  /**
   * The leader, searched for when there is none, until `until` (of `Clock.monotonic`; default: `timeout` from now).
   * Fails at once when the log has been unreachable for twice that timeout, so that no calls pile up.
   */
  readonly node: (until?: number) => Promise<E.Either<StoreUnavailable, Node>>;
  /** Closes the connection to a node that failed; the next call searches. No effect when another has replaced it. */
  readonly discard: (failed: Node, cause: Error) => void;
  /** Aborts on `close`; nothing is retried then. */
  readonly closed: AbortSignal;
  readonly close: () => void;
};

type Outage = { readonly since: number; readonly retry: Retry; cause: StoreUnavailable };

const closedFailure = (): StoreUnavailable => new StoreUnavailable('the connection to EventStoreDB is closed');

export const makeConnection = (
  runtime: Runtime,
  settings: Settings,
  timings: Timings,
  onConnectionEvent: OnConnectionEvent,
): Connection => {
  const { clock } = runtime;
  const closing = new AbortController();
  // every waiting call listens
  setMaxListeners(0, closing.signal);
  // a slow node of a cluster must not hold up the others' responses; a single node has no others
  const gossip = makeGossipClients(clock, settings, settings.isDiscovered ? timings.gossipTimeout : timings.timeout);
  let current: Node | undefined;
  let search: Promise<E.Either<StoreUnavailable, Node>> | undefined;
  let outage: Outage | undefined;
  let wasConnected = false;

  const failWhenClosed = (): void => {
    if (closing.signal.aborted) throw closedFailure();
  };

  const connect = async (): Promise<Node> => {
    await outage?.retry.again();
    failWhenClosed();
    const leader = await findLeader(settings, gossip);
    failWhenClosed();
    const endpoint = nameOf(leader);
    const channel = gossip.takeChannel(leader);
    const connected = openNode(runtime, endpoint, settings, channel);
    current = connected;
    // gRPC would connect again without a word, to a log that may have been put back meanwhile
    channel.watchConnectivityState(connectivityState.READY, Infinity, () => {
      discard(connected, new Error('the server has closed the connection'));
    });
    outage = undefined;
    gossip.close();
    onConnectionEvent({ kind: wasConnected ? 'reconnected' : 'connected', endpoint });
    wasConnected = true;
    return connected;
  };

  const discard: Connection['discard'] = (failed, cause) => {
    if (current !== failed) return;
    current = undefined;
    failed.close();
    onConnectionEvent({ kind: 'connection-lost', connection: failed.endpoint, cause });
  };

  const noteOutage = (thrown: unknown): StoreUnavailable => {
    const cause = asStoreUnavailable(thrown);
    if (outage === undefined) {
      outage = {
        since: clock.monotonic(),
        retry: makeRetry({ runtime, ...timings.backoff, signal: closing.signal }),
        cause,
      };
      onConnectionEvent({ kind: 'unreachable', cause: thrown });
    }
    outage.cause = cause;
    return cause;
  };

  const sharedSearch = (): Promise<E.Either<StoreUnavailable, Node>> =>
    (search ??= attempt(connect, noteOutage).finally(() => (search = undefined)));

  const node: Connection['node'] = async (until = clock.monotonic() + timings.timeout) => {
    for (;;) {
      if (closing.signal.aborted) return E.left(closedFailure());
      if (current !== undefined) return E.right(current);
      const searching = sharedSearch();
      if (outage !== undefined && clock.monotonic() - outage.since > 2 * timings.timeout) return E.left(outage.cause);
      const found = await withTimeout(clock, until - clock.monotonic(), searching, closing.signal);
      if (found !== undefined && E.isRight(found)) return found;
      if (clock.monotonic() >= until)
        return found ?? E.left(new StoreUnavailable('EventStoreDB did not answer in time'));
    }
  };

  return {
    node,
    closed: closing.signal,
    discard,
    close: () => {
      closing.abort();
      const last = current;
      // first, or its end would be reported as a connection that the server has closed
      current = undefined;
      last?.close();
      gossip.close();
    },
  };
};
