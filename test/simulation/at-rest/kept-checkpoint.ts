import { placesOfCheckpoints } from '../../../src/infrastructure/open-storage.js';
import { ledgerOf, registry } from '../../../src/entities/registry.js';
import { archiveToVerify } from '../../../src/infrastructure/verification/archive-to-verify.js';
import { memoryConfig } from '../../support/memory-adapters/memory-config.js';
import { right } from '../../support/sealed-tree.js';
import type { Notebook } from '../notebook.js';
import type { Shared } from '../service.js';

/** After the services were stopped in order: the newest checkpoint is in the storage of files, too. */
export const checkKeptCheckpoint = async (
  { seal, files }: Shared,
  checkpointKey: string,
  { breaks }: Notebook,
): Promise<void> => {
  const { tree } = seal(ledgerOf(registry).name, placesOfCheckpoints(memoryConfig(checkpointKey)));
  const newest = right(await tree.newestCheckpoint());
  if (newest === undefined) {
    breaks('there is no checkpoint of the log');
    return;
  }
  const archive = archiveToVerify(files.checkpoints, ({ reason }) => breaks(reason), new AbortController().signal);
  const kept = right(await archive.largestOf(newest.origin, -1))?.size ?? 0;
  if (kept < newest.size)
    breaks(
      `the services have stopped, and of the checkpoints up to ${newest.size} events that of ${kept} is kept last`,
    );
};
