/** How long a request may wait, in ms: for a connection, and for the next byte in either direction. */
export type Patience = { readonly connectMs: number; readonly idleMs: number };

export const DEFAULT_PATIENCE: Patience = { connectMs: 5_000, idleMs: 30_000 };
