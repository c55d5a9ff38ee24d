/** What the next append meets, each entry once. */
export type AppendFault =
  /** Written, and then the connection is reset. */
  | 'lost-acknowledgement'
  /** Written, and never answered. */
  | 'written-without-answer'
  /** Neither written nor answered. */
  | 'no-answer'
  /** Not written, and the connection is reset. */
  | 'reset'
  | 'not-ready'
  /** Not written, and called a conflict, whatever stands there. */
  | 'claims-conflict'
  | 'not-leader'
  | 'handler-exception'
  /** Written and acknowledged after so many milliseconds, also when the client does not wait any longer. */
  | { readonly slow: number };

/** What a running node does wrong, until it is told otherwise. */
export type Faults = {
  readonly appends: Array<AppendFault>;
  /** What the next read of a stream needs before its first answer, ms, each entry once. */
  readonly msBeforeReads: Array<number>;
  /** After so many appends a call that takes many writes one more without saying so, and falls silent. */
  batchesEndAfter: number | undefined;
  /** Takes every call and answers none, as a frozen process does; what streams goes quiet. */
  isSilent: boolean;
  /** Subscriptions go quiet; everything else works. */
  areSubscriptionsSilent: boolean;
  /** Every event of a subscription comes twice. */
  isRepeating: boolean;
  isNotReady: boolean;
  /** Time, ms, that a filtered read needs for each record that does not match; it says nothing meanwhile. */
  msPerForeignRecord: number;
};

export const noFaults = (): Faults => ({
  appends: [],
  msBeforeReads: [],
  batchesEndAfter: undefined,
  isSilent: false,
  areSubscriptionsSilent: false,
  isRepeating: false,
  isNotReady: false,
  msPerForeignRecord: 0,
});
