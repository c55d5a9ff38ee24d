import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip, { type ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { Metadata } from '@grpc/grpc-js';
import type { Clock } from '../../../event-sourcing/clock.js';
import { CallFailed, callFailed } from './call-failed.js';
import { type Endpoint, nameOf, type Settings } from './connection-string.js';
import { type Channel, channelOptions } from './node.js';

/** What one node says about its cluster. */
type Gossip = { readonly members: number; readonly leader: Endpoint | undefined };

/** Keeps its connections: a frozen host that is asked for hours costs one socket. */
type GossipClients = {
  /** Rejects with `CallFailed`. */
  readonly read: (endpoint: Endpoint) => Promise<Gossip>;
  /** Hands over the connection to a node; whoever takes it closes it. */
  readonly takeChannel: (endpoint: Endpoint) => Channel;
  readonly close: () => void;
};

const gossipIn = (info: ClusterInfo): Gossip => {
  const members = info.getMembersList();
  const endpoint = members
    .find((member) => member.getIsAlive() && member.getState() === gossip.MemberInfo.VNodeState.LEADER)
    ?.getHttpEndPoint();
  return {
    members: members.length,
    leader: endpoint && { address: endpoint.getAddress(), port: endpoint.getPort() },
  };
};

/** `timeout`: of one response, ms. */
export const makeGossipClients = (clock: Clock, settings: Settings, timeout: number): GossipClients => {
  const clients = new Map<string, InstanceType<typeof gossipGrpc.GossipClient>>();
  const clientOf = (endpoint: Endpoint) => {
    const name = nameOf(endpoint);
    const client =
      clients.get(name) ?? new gossipGrpc.GossipClient(name, settings.credentials, channelOptions(settings));
    clients.set(name, client);
    return client;
  };
  return {
    read: (endpoint) =>
      new Promise((resolve, reject) => {
        // gRPC compares it with the time of day
        const deadline = clock.date().getTime() + timeout;
        clientOf(endpoint).read(new shared.Empty(), new Metadata(), { deadline }, (error, info) =>
          error === null ? resolve(gossipIn(info)) : reject(callFailed(error)),
        );
      }),
    takeChannel: (endpoint) => {
      const client = clientOf(endpoint);
      clients.delete(nameOf(endpoint));
      return client.getChannel();
    },
    close: () => {
      for (const client of clients.values()) client.close();
      clients.clear();
    },
  };
};

type Response = { readonly from: Endpoint; readonly gossip: Gossip };

const isSame = (one: Endpoint, other: Endpoint): boolean => nameOf(one) === nameOf(other);

const isFromLeader = ({ from, gossip: { leader } }: Response): boolean => leader !== undefined && isSame(from, leader);

/**
 * Asks all nodes at once. Resolves to the leader's own response as soon as it comes, without waiting for a frozen node;
 * otherwise to all responses. Rejects with the first failure when there is none.
 */
const readAll = async (
  endpoints: ReadonlyArray<Endpoint>,
  clients: GossipClients,
): Promise<ReadonlyArray<Response>> => {
  const reads = endpoints.map(async (from): Promise<Response> => ({ from, gossip: await clients.read(from) }));
  const leaders = reads.map(async (read) => {
    const response = await read;
    if (!isFromLeader(response)) throw new Error('not the leader');
    return [response];
  });
  return Promise.any(leaders).catch(async () => {
    const settled = await Promise.allSettled(reads);
    const responses = settled.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const failure = settled.find((outcome) => outcome.status === 'rejected');
    if (responses.length === 0 && failure !== undefined) throw failure.reason;
    return responses;
  });
};

const leadersNamedIn = (responses: ReadonlyArray<Response>): ReadonlyArray<Endpoint> => {
  const named = new Map<string, Endpoint>();
  for (const { gossip: said } of responses) if (said.leader !== undefined) named.set(nameOf(said.leader), said.leader);
  return [...named.values()];
};

/**
 * The node that itself says that it leads. Others still name a frozen leader for seconds; it cannot say so itself.
 * A single node is used at the address in the connection string, since behind a mapped port it does not know that
 * address. Rejects with `CallFailed` when there is no leader.
 */
export const findLeader = async ({ seeds, isDiscovered }: Settings, clients: GossipClients): Promise<Endpoint> => {
  const responses = await readAll(seeds, clients);
  const single = responses.find(({ gossip: { members, leader } }) => members === 1 && leader !== undefined);
  if (!isDiscovered && single !== undefined) return single.from;
  const leading = responses.find(isFromLeader);
  if (leading !== undefined) return leading.from;
  const unasked = leadersNamedIn(responses).filter((leader) => !responses.some(({ from }) => isSame(from, leader)));
  const leader = unasked.length === 0 ? undefined : (await readAll(unasked, clients)).find(isFromLeader);
  if (leader === undefined) throw new CallFailed('not-executed', 'EventStoreDB: no node says that it leads');
  return leader.from;
};
