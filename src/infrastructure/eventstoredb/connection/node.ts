import { setMaxListeners } from 'node:events';
import streamsGrpc, { type StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { type ChannelOptions, type Client, Metadata } from '@grpc/grpc-js';
import type { Runtime } from '../../../event-sourcing/runtime.js';
import { CallFailed } from './call-failed.js';
import type { Settings } from './connection-string.js';

/** A connection to the leader, through the client package's generated service (docs/adr/0008). */
export type Node = {
  /** What its calls take time and chance from. */
  readonly runtime: Runtime;
  readonly endpoint: string;
  readonly streams: StreamsClient;
  /**
   * Headers of one call. Every call requires the leader, so that a read shows what was acknowledged. Throws `CallFailed`
   * when the node has been closed.
   */
  readonly metadata: () => Metadata;
  /** Notes that a message has come from the node, whatever the call. */
  readonly noteMessage: () => void;
  /** When the last message came, of `Clock.monotonic`. */
  readonly lastMessageAt: () => number;
  /** Aborts on `close`; subscriptions end with it. */
  readonly closed: AbortSignal;
  /** Calls that have a deadline may still finish. */
  readonly close: () => void;
};

export type Channel = ReturnType<Client['getChannel']>;

export const channelOptions = ({ keepAlive }: Settings): ChannelOptions => ({
  'grpc.keepalive_time_ms': keepAlive.interval,
  'grpc.keepalive_timeout_ms': keepAlive.timeout,
  // events that were not written through gRPC may have 16 MiB
  'grpc.max_receive_message_length': 17 * 1024 * 1024,
  // with the 64 KiB that are the default, the server waits for this process after every few dozen events
  'grpc-node.flow_control_window': 1024 * 1024,
  // the pool of the process would give a new channel the broken connection that it replaces, and its backoff
  'grpc.use_local_subchannel_pool': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  // a container that is started again may have another address under its name; by default it is looked up every 30 s at most
  'grpc.dns_min_time_between_resolutions_ms': 1000,
});

/**
 * Uses the connection on which the node said that it leads. On a new one the first calls would wait for another
 * handshake, and where that is slow, all of them would time out together.
 */
export const openNode = (runtime: Runtime, endpoint: string, settings: Settings, channelOverride: Channel): Node => {
  const { clock } = runtime;
  const streams = new streamsGrpc.StreamsClient(endpoint, settings.credentials, { channelOverride });
  const closing = new AbortController();
  let lastMessageAt = clock.monotonic();
  // every subscription listens
  setMaxListeners(0, closing.signal);
  return {
    runtime,
    endpoint,
    streams,
    metadata: () => {
      // gRPC would throw an error of another kind
      if (closing.signal.aborted) throw new CallFailed('not-executed', 'EventStoreDB: the connection was closed');
      const metadata = new Metadata();
      metadata.set('connection-name', settings.connectionName);
      metadata.set('requires-leader', 'true');
      if (settings.authorization !== undefined) metadata.set('authorization', settings.authorization);
      return metadata;
    },
    noteMessage: () => void (lastMessageAt = clock.monotonic()),
    lastMessageAt: () => lastMessageAt,
    closed: closing.signal,
    close: () => {
      closing.abort();
      streams.close();
    },
  };
};
