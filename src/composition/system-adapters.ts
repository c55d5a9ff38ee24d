import { readFile } from 'node:fs/promises';
import { either as E } from 'fp-ts';
import { serve } from '../http/serve.js';
import { checkpointSigners } from '../infrastructure/checkpoint-signer.js';
import { developmentSecret } from '../infrastructure/disk/development-secret.js';
import { narrowDataDirectory } from '../infrastructure/disk/narrow-data-directory.js';
import { sharedEventKeys } from '../infrastructure/event-keys.js';
import { watchProcess } from '../infrastructure/metrics/watch-process.js';
import { openFilesLimit } from '../infrastructure/open-files-limit.js';
import { openStorage } from '../infrastructure/open-storage.js';
import { openStores } from '../infrastructure/open-stores.js';
import { openReadModels } from '../infrastructure/postgres/read-models/open-read-models.js';
import { sharedLinkKey, sharedSnapshotKey } from '../infrastructure/shared-keys.js';
import type { Adapters } from './adapters.js';

/** Those of the system: servers, disks and the network, as the configuration names them. */
export const systemAdapters: Adapters = {
  openStores: async (config, options) => {
    const opened = await openStores(config, options);
    if (E.isLeft(opened)) return opened;
    const { store, space, isSoleProcess, close, readModelsUrl } = opened.right;
    return E.right({ store, space, isSoleProcess, close, readModels: openReadModels(options.runtime, readModelsUrl) });
  },
  openStorage,
  serve,
  fetch,
  readFile: (file) => readFile(file),
  keys: {
    checkpointSigners,
    developmentSecret,
    eventKeys: sharedEventKeys,
    linkKey: sharedLinkKey,
    snapshotKey: sharedSnapshotKey,
  },
  narrowDataDirectory: (dataDir) => narrowDataDirectory(dataDir, process.getuid?.()),
  openFilesLimit,
  watchProcess,
};
