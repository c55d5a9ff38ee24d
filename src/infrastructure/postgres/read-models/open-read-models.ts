import { makePostgresStorage } from '../../../../projections/engine/postgres/postgres-storage.js';
import { openPostgresStorage } from '../../../../projections/engine/postgres/open-postgres-storage.js';
import type { OwnStorage } from '../../../../projections/engine/storage.js';
import { SILENCE_MS } from '../../../event-sourcing/answer-deadline.js';
import type { Runtime } from '../../../event-sourcing/runtime.js';
import { planByIndex } from '../../../postgres/index-plans.js';
import { makePool } from '../../../postgres/pool.js';
import type { SealedTree } from '../../../read/sealed-tree.js';
import type { LockTree } from '../../../sealing/lock-tree.js';
import type { NotedCheckpoints } from '../../../sealing/noted-check.js';
import type { ArchiveNotes } from '../../../sealing/noting-archive.js';
import { type Cosigned, makeCosigned } from '../seal/cosigned.js';
import { makeLockTree } from '../seal/lock-tree.js';
import { type CheckpointPlaces, makeArchiveNotes, makeFindNoted } from '../seal/noted-checkpoints.js';
import { makeSealedTree } from '../seal/sealed-tree-queries.js';
import { openAccessRecord, type OwnAccessRecord } from '../access/open-access-record.js';
import { makeReadModelQueries, type ReadModelQueries } from './make-read-model-queries.js';

/** The tree over a ledger, and what is kept of its checkpoints, for one owner. */
export type LedgerSeal = {
  /** With the rows of the ledger. Closed by the owner, when nobody asks for anything of the seal any more. */
  readonly storage: OwnStorage;
  readonly tree: SealedTree;
  readonly lockTree: LockTree;
  readonly notes: ArchiveNotes;
  readonly findNoted: (origin: string) => Promise<NotedCheckpoints>;
  /** Makes what cosigned checkpoints are kept in. */
  readonly openCosigned: () => Promise<Cosigned>;
};

/** Names what connections are for, as the database shows it, and says how many there may be. */
type Connections<Name> = { readonly name: Name; readonly connections: number };

/** The database of the read models. Each call opens connections of its own, with their first use. */
export type ReadModels = {
  readonly queries: () => ReadModelQueries;
  readonly storage: (connections: Connections<'projections' | 'verification'>) => OwnStorage;
  readonly seal: (
    ledger: string,
    places: CheckpointPlaces,
    connections: Connections<'seal' | 'log-verification'>,
  ) => LedgerSeal;
  /** Who read what, which lies beside the read models. */
  readonly accessRecord: () => OwnAccessRecord;
};

/** What runs on each new connection. */
const PREPARE = { projections: { prepare: planByIndex }, verification: {} };

/** The read models in a Postgres. */
export const openReadModels = (runtime: Runtime, connectionString: string): ReadModels => ({
  queries: () => makeReadModelQueries(runtime.clock, { connectionString }),
  storage: (connections) =>
    openPostgresStorage({ runtime, connectionString, ...connections, ...PREPARE[connections.name] }),
  seal: (ledger, places, connections) => {
    const pool = makePool({ connectionString, ...connections, connectMs: SILENCE_MS, queryMs: SILENCE_MS });
    return {
      storage: { ...makePostgresStorage({ runtime, pool, connectionString }), close: () => pool.end() },
      tree: makeSealedTree(pool, ledger),
      lockTree: makeLockTree(pool, ledger),
      notes: makeArchiveNotes(pool, places),
      findNoted: makeFindNoted(pool, places),
      openCosigned: () => makeCosigned(pool, ledger),
    };
  },
  accessRecord: () => openAccessRecord(connectionString),
});
