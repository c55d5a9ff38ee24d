import type { Metadata, ServerUnaryCall } from '@grpc/grpc-js';
import type { AppendFault, Faults } from './faults.js';
import type { News } from '../news.js';
import type { DoubleLog } from './log.js';

/** A read of `$all`: how many records it had to pass that were not asked for, and whether its client waited for it. */
type Search = { readonly passed: number; isAnswered: boolean };

export type Endpoint = { readonly host: string; readonly port: number };

type Call = {
  readonly rpc: 'append' | 'read' | 'gossip';
  readonly headers: { readonly [name: string]: unknown };
  /** The connection it came over: address and port of the client. */
  readonly peer: string;
};

/** What the services of one node share. */
export type NodeState = {
  /** Told of whatever changes in it, and of each fault that was used. */
  readonly news: News;
  readonly log: DoubleLog;
  readonly faults: Faults;
  /** Every call, in order of arrival. */
  readonly calls: Array<Call>;
  /** Reads that have not ended, subscriptions included. */
  readonly openReads: Set<{ readonly end: () => void }>;
  /** In the order in which they began. */
  readonly searches: Array<Search>;
  /** Answers to reads that have been sent. */
  sent: number;
  /** Appends under way: of each, the id of its first event. */
  readonly appending: Set<string>;
  /** The most appends with the same first event that were ever in flight together. */
  mostEqualAppends: number;
  readonly isLeader: () => boolean;
  readonly leader: () => Endpoint | undefined;
  readonly members: () => ReadonlyArray<Endpoint & { readonly isLeader: boolean; readonly isAlive: boolean }>;
};

export const noteCall = (
  state: NodeState,
  rpc: Call['rpc'],
  call: Pick<ServerUnaryCall<unknown, unknown>, 'metadata' | 'getPeer'>,
): void => {
  state.calls.push({ rpc, headers: call.metadata.getMap(), peer: call.getPeer() });
  state.news.tell();
};

export const requiresLeader = (headers: Metadata): boolean => headers.get('requires-leader')[0] === 'true';

/** What happens to the next append; undefined: nothing out of the ordinary. */
export const takeFault = ({ faults, news }: NodeState): AppendFault | undefined => {
  const fault = faults.appends.shift();
  news.tell();
  return fault;
};
