/** What happens to the next append; each entry is used once. */
export type AppendFault =
  /** Stored, then the connection is reset. */
  | 'lost-acknowledgement'
  /** Stored, and answered as by a server that has paused meanwhile. */
  | 'commit-timeout'
  /** Stored, without a response. */
  | 'stored-without-response'
  /** Not stored, without a response. */
  | 'no-response'
  /** Not stored, and the connection is reset. */
  | 'reset'
  | 'not-ready'
  /** Not stored, and reported as a conflict, whatever is stored there. */
  | 'claims-conflict'
  | 'not-leader'
  | 'handler-exception'
  /** Stored and acknowledged when this resolves, even when the client has gone. */
  | { readonly until: Promise<unknown> };

/** What a running node does wrong, for as long as it is set. */
export type Faults = {
  readonly appends: Array<AppendFault>;
  /** What the first message of the next read of a stream waits for; each entry is used once. */
  readonly reads: Array<Promise<void>>;
  /** After so many appends, a batch call stores one more without a response and then ignores the rest. */
  batchesEndAfter: number | undefined;
  /** As a frozen process: accepts calls without a response, and sends nothing more on those under way. */
  isSilent: boolean;
  /** Subscriptions send nothing; everything else works. */
  areSubscriptionsSilent: boolean;
  /** Subscriptions send every event twice. */
  isRepeating: boolean;
  isNotReady: boolean;
  /** Port of the node that this one takes for the leader, whoever leads: it has not heard of an election yet. */
  namesAsLeader: number | undefined;
  /** Time, ms, that a filtered read needs for each record that does not match; it sends nothing meanwhile. */
  msPerForeignRecord: number;
};

export const noFaults = (): Faults => ({
  appends: [],
  reads: [],
  batchesEndAfter: undefined,
  isSilent: false,
  areSubscriptionsSilent: false,
  isRepeating: false,
  isNotReady: false,
  namesAsLeader: undefined,
  msPerForeignRecord: 0,
});
