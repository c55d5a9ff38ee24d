import type { Generation } from '../../../projections/engine/generation/generation.js';
import type { Difference } from '../../../projections/engine/rebuild/difference.js';
import type { BatchOfChange, ReadModelStorage, Writer } from '../../../projections/engine/storage.js';

/** Compares, and has seen what was called. */
export const compare = async (
  storage: ReadModelStorage,
  writer: Writer,
  { write, keep = 10 }: { readonly write?: BatchOfChange | undefined; readonly keep?: number } = {},
) => {
  const called: Array<Difference> = [];
  const seen: Array<Generation> = [];
  const decide = (live: Generation) => {
    seen.push(live);
    return { write };
  };
  const onDifference = async (difference: Difference): Promise<void> => {
    await new Promise(setImmediate);
    called.push(difference);
  };
  const compared = await storage.compare(writer, decide, { keep, onDifference });
  return { compared, called, seen };
};

/** Of rows that do not differ. */
export const SAME = { onlyLive: 0, onlyRebuilt: 0, differing: 0, first: [] };
