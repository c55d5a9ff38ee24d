import type { Mutation } from '../draft.js';

/** The request that the document describes, as it is. */
export const asDescribed: Mutation = { name: 'as described', weight: 6, suits: () => true, apply: () => undefined };
