import { setMaxListeners } from 'node:events';
import streamsGrpc, { type StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { type ChannelOptions, type Client, Metadata } from '@grpc/grpc-js';
import { CallFailed } from './call-failed.js';
import type { Settings } from './connection-string.js';

/**
 * A connection to the leader. Its calls go through the client package's generated service, not through the client
 * itself: that one parses JSON on reading (bytes change), knows no deadline on reads, leaks a call when its reader
 * stops early, and has errors that nobody can catch.
 */
export type Node = {
  readonly endpoint: string;
  readonly streams: StreamsClient;
  /**
   * Headers of one call; every call insists on the leader, so that a read shows what was acknowledged. Throws
   * `CallFailed` when the node has been given up.
   */
  readonly metadata: () => Metadata;
  /** Notes that it has just answered, whomever. */
  readonly heard: () => void;
  /** When it answered last, of `performance.now`. */
  readonly heardAt: () => number;
  /** Aborts when the node is given up; long reads end with it. */
  readonly retired: AbortSignal;
  /** Calls that are under way may finish within their deadline. */
  readonly retire: () => void;
};

export type Channel = ReturnType<Client['getChannel']>;

export const channelOptions = ({ keepAlive }: Settings): ChannelOptions => ({
  'grpc.keepalive_time_ms': keepAlive.interval,
  'grpc.keepalive_timeout_ms': keepAlive.timeout,
  // events may be 16 MiB when they were not written through gRPC
  'grpc.max_receive_message_length': 17 * 1024 * 1024,
  // without its own pool a new channel shares the broken connection that it is to replace, and its backoff
  'grpc.use_local_subchannel_pool': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
});

/**
 * Goes on with the connection on which the node said that it leads. Of a new one the first calls would wait for another
 * handshake, and where that is slow, fail all together with the first of them that is out of time.
 */
export const openNode = (endpoint: string, settings: Settings, channelOverride: Channel): Node => {
  const streams = new streamsGrpc.StreamsClient(endpoint, settings.credentials, { channelOverride });
  const retirement = new AbortController();
  let heardAt = performance.now();
  // every subscriber listens
  setMaxListeners(0, retirement.signal);
  return {
    endpoint,
    streams,
    metadata: () => {
      // a call on a closed channel throws what nobody expects
      if (retirement.signal.aborted) throw new CallFailed('not-done', 'EventStoreDB: the connection was given up');
      const metadata = new Metadata();
      metadata.set('connection-name', settings.connectionName);
      metadata.set('requires-leader', 'true');
      if (settings.authorization !== undefined) metadata.set('authorization', settings.authorization);
      return metadata;
    },
    heard: () => void (heardAt = performance.now()),
    heardAt: () => heardAt,
    retired: retirement.signal,
    retire: () => {
      retirement.abort();
      streams.close();
    },
  };
};
