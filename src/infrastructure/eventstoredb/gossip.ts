import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip, { type ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { Metadata } from '@grpc/grpc-js';
import { callFailed } from './call-failed.js';
import { type Endpoint, nameOf, type Settings } from './connection-string.js';
import { type Channel, channelOptions } from './node.js';

/** What one node says about its cluster. */
export type Gossip = { readonly members: number; readonly leader: Endpoint | undefined };

/** Asks nodes who leads. Keeps its connections, so that asking a frozen host for hours holds one socket, not many. */
export type Asker = {
  readonly ask: (endpoint: Endpoint) => Promise<Gossip>;
  /** Hands over the connection that a node has answered on; whoever takes it closes it. */
  readonly take: (endpoint: Endpoint) => Channel;
  readonly close: () => void;
};

const understood = (info: ClusterInfo): Gossip => {
  const members = info.getMembersList();
  const leads = members.find(
    (member) => member.getIsAlive() && member.getState() === gossip.MemberInfo.VNodeState.LEADER,
  );
  const at = leads?.getHttpEndPoint();
  return { members: members.length, leader: at && { address: at.getAddress(), port: at.getPort() } };
};

/** `within`: milliseconds for one answer. `ask` rejects with `CallFailed`. */
export const makeAsker = (settings: Settings, within: number): Asker => {
  const clients = new Map<string, InstanceType<typeof gossipGrpc.GossipClient>>();
  const clientOf = (endpoint: Endpoint) => {
    const name = nameOf(endpoint);
    const client =
      clients.get(name) ?? new gossipGrpc.GossipClient(name, settings.credentials, channelOptions(settings));
    clients.set(name, client);
    return client;
  };
  return {
    ask: (endpoint) =>
      new Promise((resolve, reject) => {
        const deadline = Date.now() + within;
        clientOf(endpoint).read(new shared.Empty(), new Metadata(), { deadline }, (error, info) =>
          error === null ? resolve(understood(info)) : reject(callFailed(error)),
        );
      }),
    take: (endpoint) => {
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
