import type { ReadModelStorage } from '../../../projections/engine/storage.js';
import type { Clock } from '../../../src/event-sourcing/clock.js';
import type { ReadModelQueries } from '../../../src/infrastructure/postgres/read-models/make-read-model-queries.js';
import type { ErasedRows } from '../../../src/infrastructure/postgres/erasure/erased-rows.js';
import type { LedgerSeal } from '../../../src/infrastructure/postgres/read-models/open-read-models.js';
import type { CheckpointPlaces } from '../../../src/infrastructure/postgres/seal/noted-checkpoints.js';
import type { Notebook } from '../notebook.js';
import type { World } from '../world.js';

/** Where a life keeps its read models: rows, what asks for them, and checkpoints. All processes of a cluster share it. */
export type Store = {
  readonly storage: ReadModelStorage;
  /** Of the same storage. */
  readonly erasedRows: ErasedRows;
  /** All that is in the rows of all generations, as texts. */
  readonly texts: () => Promise<ReadonlyArray<string>>;
  readonly queries: ReadModelQueries;
  readonly seal: (ledger: string, places?: CheckpointPlaces) => Omit<LedgerSeal, 'storage'>;
};

type Place = {
  readonly world: World;
  /** That of the database: it is the same for all processes. */
  readonly clock: Clock;
  readonly notes: Notebook;
};

/** Makes an empty store for a life; one life at a time. */
export type MakeStore = (place: Place) => Promise<Store>;

export const STORES = ['memory', 'postgres', 'both'] as const;

/**
 * `memory`: as Postgres behaves. `postgres`: the SQL on a Postgres. `both`: the SQL, and each answer of the storage is compared
 * with that of the one in memory.
 */
export type StoreName = (typeof STORES)[number];
