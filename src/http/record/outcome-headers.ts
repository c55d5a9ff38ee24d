import type { Outcome } from '../../application/execute.js';
import { tagOfExpected } from '../request/entity-tags.js';

/** `ETag` of what a command left behind, and `X-Projected: false` where a list may not show it yet. */
export const outcomeHeaders = ({
  revision,
  projected,
}: Omit<Outcome<never>, 'before' | 'after'>): ReadonlyArray<string> => {
  const tag = tagOfExpected(revision);
  return [...(tag === undefined ? [] : ['ETag', tag]), ...(projected ? [] : ['X-Projected', 'false'])];
};
