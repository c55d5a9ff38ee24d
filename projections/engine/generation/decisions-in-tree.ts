import type { Ledger } from '../../ledger.js';
import { versionOf } from '../../version.js';
import type { ReadModelStorage } from '../storage.js';
import { liveOf } from './generation.js';

/**
 * Why no decision of operators is to be recorded now, as a sentence; undefined where nothing speaks against it. A process of
 * an earlier version may sign a tree in which decisions have no leaf, and would sign nothing more once later ones sign.
 */
export const whyNotInTree = async (
  storage: Pick<ReadModelStorage, 'generations'>,
  ledger: Ledger,
): Promise<string | undefined> => {
  const live = liveOf(await storage.generations(ledger.name));
  const version = versionOf(ledger);
  if (live === undefined || live.version === version) return undefined;
  return `the ledger in force was made by another version of this program (${live.version}, this one has ${version}): end the upgrade first, so that every process of the service is of this version`;
};
