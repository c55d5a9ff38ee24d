import type { either as E } from 'fp-ts';
import type { serve } from '../http/serve.js';
import type { CannotOpen } from '../infrastructure/cannot-open.js';
import type { checkpointSigners } from '../infrastructure/checkpoint-signer.js';
import type { developmentSecret } from '../infrastructure/disk/development-secret.js';
import type { Narrowed } from '../infrastructure/disk/narrow-data-directory.js';
import type { sharedEventKeys } from '../infrastructure/event-keys.js';
import type { watchProcess } from '../infrastructure/metrics/watch-process.js';
import type { openStorage } from '../infrastructure/open-storage.js';
import type { openStores, Stores } from '../infrastructure/open-stores.js';
import type { ReadModels } from '../infrastructure/postgres/read-models/open-read-models.js';
import type { sharedLinkKey, sharedSnapshotKey } from '../infrastructure/shared-keys.js';

/** The log, and the database of the read models. */
export type ServiceStores = Omit<Stores, 'readModelsUrl' | 'raw' | 'encryption' | 'keyControl'> & {
  readonly readModels: ReadModels;
};

/** The keys of this service: those of its settings, and where these have none, what it keeps in its data directory. */
type Keys = {
  readonly checkpointSigners: typeof checkpointSigners;
  readonly developmentSecret: typeof developmentSecret;
  readonly eventKeys: typeof sharedEventKeys;
  readonly linkKey: typeof sharedLinkKey;
  readonly snapshotKey: typeof sharedSnapshotKey;
};

/**
 * All by which a service reaches outside of its process: nothing else of it opens a connection, a port or a file. Exporting
 * spans is not among it, and its packages are loaded only where that is switched on.
 */
export type Adapters = {
  readonly openStores: (...args: Parameters<typeof openStores>) => Promise<E.Either<CannotOpen, ServiceStores>>;
  readonly openStorage: typeof openStorage;
  /** Takes an address, and has what comes there answered by a listener. */
  readonly serve: typeof serve;
  readonly fetch: typeof fetch;
  /** Of a file of the program, or one that a setting names. */
  readonly readFile: (file: string) => Promise<Buffer>;
  readonly keys: Keys;
  /** Of a data directory that others may look into. */
  readonly narrowDataDirectory: (dataDir: string) => Promise<ReadonlyArray<Narrowed>>;
  /** How many files and connections may be open at once. */
  readonly openFilesLimit: () => number;
  readonly watchProcess: typeof watchProcess;
};
