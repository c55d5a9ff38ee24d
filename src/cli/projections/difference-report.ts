import { open } from 'node:fs/promises';
import type { Difference } from '../../../projections/engine/rebuild/compare.js';

type DifferenceReport = {
  readonly add: (difference: Difference) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** The report cannot be written, for instance because its folder does not exist or the disk is full. */
export class ReportFailed extends Error {
  constructor(file: string, cause: unknown) {
    super(`the report ${file} cannot be written`, { cause });
    this.name = 'ReportFailed';
  }
}

/**
 * Writes every difference into a file that only its owner may read, one JSON object a line, with the values of both
 * rows. Without a file it writes nothing. Rejects with `ReportFailed`.
 */
export const openReport = async (file: string | undefined): Promise<DifferenceReport> => {
  if (file === undefined) return { add: () => Promise.resolve(), close: () => Promise.resolve() };
  const fail = (cause: unknown): never => {
    throw new ReportFailed(file, cause);
  };
  const handle = await open(file, 'w', 0o600).catch(fail);
  return {
    add: async ({ _tag: kind, ...difference }) => {
      await handle.writeFile(`${JSON.stringify({ kind, ...difference })}\n`).catch(fail);
    },
    close: () => handle.close().catch(fail),
  };
};
