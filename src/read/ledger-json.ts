import type { LedgerEntry } from './ledger.js';

/** The event's own JSON, with its index as the first member. */
export const withIndex = ({ index, body }: LedgerEntry): string => `{"index":${index},${body.slice(1)}`;
