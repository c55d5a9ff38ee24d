/** Bytes that are sent, `times` over. */
export type Sending = { readonly text: string; readonly times?: number };

/** What one connection does. */
export type HostileClient = {
  /** Sent as fast as the service takes it. */
  readonly sends: ReadonlyArray<Sending>;
  /** Sent after that, four times a second. */
  readonly trickles?: Sending;
  /** Bytes of the answers that it takes in a second: 0, none; Infinity, all. */
  readonly reads: number;
  /**
   * Reads how the answer begins and nothing more; asks again, on another connection, until that is a 200. A service that
   * has no time at the moment holds nothing for its client, and would not be tried.
   */
  readonly insists?: boolean;
  /** Resets the connection so long after all is sent, ms; one that insists does so when it is answered. */
  readonly resetsAfter?: number;
};

export type Attack = {
  readonly port: number;
  /** Connections are given these in turn. */
  readonly clients: ReadonlyArray<HostileClient>;
  readonly connections: number;
  /** Connections that are opened at once; the next ones when these are open, or have been reset if that is their end. */
  readonly burst: number;
};

/** What became of the connections. */
export type Tally = {
  readonly opened: number;
  /** Closed by the service, as far as a client that reads can see it. */
  readonly closed: number;
  readonly bytesSent: number;
  readonly bytesRead: number;
  /** How many of each status came first on a connection, and of each error. */
  readonly outcomes: Readonly<Record<string, number>>;
};

export type ToHostileProcess = { readonly _tag: 'Begin'; readonly attack: Attack } | { readonly _tag: 'Report' };

export type FromHostileProcess =
  | { readonly _tag: 'Ready' }
  /** All connections have been opened, and those that reset have done so. */
  | { readonly _tag: 'Opened' }
  | { readonly _tag: 'Report'; readonly tally: Tally };
