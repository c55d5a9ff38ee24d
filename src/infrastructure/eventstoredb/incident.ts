/** What the adapter healed or is trying to heal; for metrics and the log. */
export type Incident =
  | { readonly kind: 'connected' | 'reconnected'; readonly endpoint: string }
  | { readonly kind: 'connection-lost'; readonly endpoint: string; readonly cause: Error }
  /** Once in an outage; `reconnected` ends it. */
  | { readonly kind: 'unreachable'; readonly cause: Error }
  | { readonly kind: 'append-repeated'; readonly stream: string; readonly cause: Error }
  | { readonly kind: 'read-repeated'; readonly cause: Error }
  /** A subscription broke and goes on; not told again while the log is unreachable. */
  | { readonly kind: 'resubscribed'; readonly cause: Error }
  | { readonly kind: 'watchdog' };

export type OnIncident = (incident: Incident) => void;
