import { commitOf } from '../generation/generation.js';
import type { ComparedRows, Differences } from './difference.js';
import type { Rebuilding } from './rebuilding.js';

/** What the comparison found, and the position of both in the log. */
export type Compared = ComparedRows & { readonly at: bigint };

/**
 * Compares the rebuilt rows with the live ones at the same position of the log. The writer of the live rows waits only
 * until that is reached, not for the comparison. Undefined when there are no live rows.
 */
export const compareWithLive = async (
  rebuilding: Rebuilding,
  differences: Differences,
): Promise<Compared | undefined> => {
  const compared = await rebuilding.compare(differences);
  return compared && { ...compared, at: commitOf(rebuilding.checkpoint) };
};

export const isSame = ({ onlyLive, onlyRebuilt, differing }: ComparedRows): boolean =>
  onlyLive + onlyRebuilt + differing === 0;
