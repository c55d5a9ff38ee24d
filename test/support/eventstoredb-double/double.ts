import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { makeAppendService } from './append-service.js';
import { makeBatchAppendService } from './batch-append-service.js';
import { type Faults, noFaults } from './faults.js';
import { makeGossipService } from './gossip-service.js';
import { makeNews } from '../news.js';
import { type DoubleLog, makeLog } from './log.js';
import type { Endpoint, NodeState } from './node-state.js';
import { makeReadService } from './read-service.js';

const HOST = '127.0.0.1';

/** One node: its calls, and how to break it. */
type DoubleNode = {
  readonly port: number;
  readonly faults: Faults;
  readonly state: NodeState;
  /** Ends every read with status OK. */
  readonly endReads: () => void;
  /** As `kill -9`: every connection is reset. */
  readonly kill: () => void;
  /** On the same port, with the log, but without what the server had in memory. */
  readonly restart: () => Promise<void>;
};

/** An EventStoreDB on loopback: one log, one or more nodes that speak its wire protocol. */
export type EventStoreDbDouble = {
  readonly connectionString: string;
  readonly log: DoubleLog;
  readonly nodes: ReadonlyArray<DoubleNode>;
  readonly node: DoubleNode;
  /** Makes a node the leader. Until then the others name the old one, even when it is dead. */
  readonly elect: (index: number | undefined) => void;
  /** Makes a node the leader, and the others list the old one as the leader that it was, and as dead. */
  readonly replaceDead: (index: number) => void;
  readonly close: () => void;
};

type Cluster = { readonly endpoints: Array<Endpoint>; leader: number | undefined; readonly deadLeaders: Set<number> };

const listen = (server: Server, port: number, credentials: ServerCredentials): Promise<number> =>
  new Promise((resolve, reject) =>
    server.bindAsync(`${HOST}:${port}`, credentials, (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );

const makeState = (log: DoubleLog, cluster: Cluster, index: number): NodeState => ({
  news: makeNews(),
  log,
  faults: noFaults(),
  calls: [],
  openReads: new Set(),
  searches: [],
  sent: 0,
  appending: new Set(),
  mostEqualAppends: 0,
  isLeader: () => cluster.leader === index,
  leader: () => (cluster.leader === undefined ? undefined : cluster.endpoints[cluster.leader]),
  members: () =>
    cluster.endpoints.map((endpoint, i) => ({
      ...endpoint,
      isLeader: cluster.leader === i || cluster.deadLeaders.has(i),
      isAlive: !cluster.deadLeaders.has(i),
    })),
});

const unused = (): never => {
  throw new Error('this service is not part of the double');
};

const serve = async (state: NodeState, port: number, credentials: ServerCredentials): Promise<[Server, number]> => {
  const server = new Server({ 'grpc.max_receive_message_length': 16 * 1024 * 1024 });
  server.addService(gossipGrpc.GossipService, { read: makeGossipService(state) });
  server.addService(streamsGrpc.StreamsService, {
    append: makeAppendService(state),
    read: makeReadService(state),
    delete: unused,
    tombstone: unused,
    batchAppend: makeBatchAppendService(state),
  });
  return [server, await listen(server, port, credentials)];
};

const startNode = async (
  log: DoubleLog,
  cluster: Cluster,
  index: number,
  credentials: ServerCredentials,
): Promise<DoubleNode> => {
  const state = makeState(log, cluster, index);
  const [first, port] = await serve(state, 0, credentials);
  let server = first;
  cluster.endpoints[index] = { host: HOST, port };
  return {
    port,
    faults: state.faults,
    state,
    endReads: () => {
      for (const read of [...state.openReads]) read.end();
    },
    kill: () => server.forceShutdown(),
    restart: async () => {
      server.forceShutdown();
      log.forgetIds();
      [server] = await serve(state, port, credentials);
    },
  };
};

export const startDouble = async ({
  nodes: count = 1,
  credentials = ServerCredentials.createInsecure(),
}: { readonly nodes?: number; readonly credentials?: ServerCredentials } = {}): Promise<EventStoreDbDouble> => {
  const log = makeLog();
  const cluster: Cluster = { endpoints: [], leader: 0, deadLeaders: new Set() };
  const nodes: Array<DoubleNode> = [];
  for (let index = 0; index < count; index++) nodes.push(await startNode(log, cluster, index, credentials));
  return {
    connectionString: `esdb://${nodes.map(({ port }) => `${HOST}:${port}`).join(',')}?tls=false`,
    log,
    nodes,
    node: nodes[0]!,
    elect: (index) => {
      cluster.leader = index;
    },
    replaceDead: (index) => {
      if (cluster.leader !== undefined) cluster.deadLeaders.add(cluster.leader);
      cluster.leader = index;
    },
    close: () => {
      for (const { kill } of nodes) kill();
    },
  };
};
