/**
 * What happened to an adapter's connection to the log, for metrics and logging; it never carries event data. The adapter
 * recovers from most of it by itself.
 */
export type ConnectionEvent =
  | { readonly kind: 'connected' | 'reconnected'; readonly endpoint: string }
  /** `connection`: the server's address, or what the connection is for. */
  | { readonly kind: 'connection-lost'; readonly connection: string; readonly cause: unknown }
  /** Once in an outage; `reconnected` ends it. */
  | { readonly kind: 'unreachable'; readonly cause: unknown }
  | { readonly kind: 'append-repeated'; readonly stream: string; readonly cause: unknown }
  | { readonly kind: 'append-failed'; readonly appends: number; readonly cause: unknown }
  /** A batch held a value that the database rejects; its appends were repeated one by one. */
  | { readonly kind: 'batch-split'; readonly appends: number; readonly cause: unknown }
  | { readonly kind: 'read-repeated'; readonly cause: unknown }
  /** A subscription broke and was resumed; reported once while the log is unreachable. */
  | { readonly kind: 'resubscribed'; readonly cause: unknown }
  /** The log lacks events that this process has seen in it: it was put back. */
  | { readonly kind: 'events-lost' }
  /** A subscription delivered nothing although there were events for it. */
  | { readonly kind: 'watchdog' };

export type OnConnectionEvent = (event: ConnectionEvent) => void;
