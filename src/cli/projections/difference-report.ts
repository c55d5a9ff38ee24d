import { type FileHandle, open } from 'node:fs/promises';
import type { Difference } from '../../../projections/engine/rebuild/compare.js';

type DifferenceReport = {
  readonly add: (difference: Difference) => Promise<void>;
  readonly close: () => Promise<void>;
};

/**
 * Writes every difference into a file, one JSON object a line, with the values of both rows; nowhere without a file.
 * Only its owner may read it.
 */
export const openReport = async (file: string | undefined): Promise<DifferenceReport> => {
  const handle: FileHandle | undefined = file === undefined ? undefined : await open(file, 'w', 0o600);
  return {
    add: async ({ _tag: kind, ...difference }) => {
      await handle?.write(`${JSON.stringify({ kind, ...difference })}\n`);
    },
    close: async () => {
      await handle?.close();
    },
  };
};
