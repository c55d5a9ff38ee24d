import type { Tactic } from '../draft.js';

/** The request that the document describes, as it is. */
export const asDescribed: Tactic = { name: 'as described', weight: 6, suits: () => true, apply: () => undefined };
