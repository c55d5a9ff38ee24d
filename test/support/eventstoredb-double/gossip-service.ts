import type { ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import gossip, { type ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import type { Empty } from '@eventstore/db-client/generated/shared_pb.js';
import { type NodeState, noteCall } from './node-state.js';

const { VNodeState } = gossip.MemberInfo;

export const makeGossipService =
  (state: NodeState) =>
  (call: ServerUnaryCall<Empty, ClusterInfo>, callback: sendUnaryData<ClusterInfo>): void => {
    noteCall(state, 'gossip', call);
    if (state.faults.isSilent) return;
    const { namesAsLeader } = state.faults;
    const info = new gossip.ClusterInfo();
    for (const { host, port, isLeader, isAlive } of state.members()) {
      const endpoint = new gossip.EndPoint();
      endpoint.setAddress(host);
      endpoint.setPort(port);
      const member = new gossip.MemberInfo();
      member.setHttpEndPoint(endpoint);
      member.setIsAlive(isAlive);
      const isNamed = namesAsLeader === undefined ? isLeader : port === namesAsLeader;
      member.setState(isNamed ? VNodeState.LEADER : VNodeState.FOLLOWER);
      info.addMembers(member);
    }
    callback(null, info);
  };
