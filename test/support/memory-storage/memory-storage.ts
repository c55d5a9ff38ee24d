import type { TextRow } from '../../../projections/engine/rows/differing-fields.js';
import type { LiveCheckpoint, ReadModelStorage, RowStorage } from '../../../projections/engine/storage.js';
import { commitOf, type Generation } from '../../../projections/engine/generation/generation.js';
import type { Clock } from '../../../src/event-sourcing/clock.js';
import type { Position } from '../../../src/event-sourcing/recorded-event.js';
import { change } from './change.js';
import { makeCompare } from './compare.js';
import { makeEntityRows } from './entity-rows.js';
import { makeMemoryErasedRows, textsOfAll } from './erased-rows.js';
import { instancesOf, liveInstance, liveInstances, statusesOf, toGeneration } from './generations.js';
import type { LedgerRow } from './ledger-row.js';
import { ledgerRowsOf, makeLedgerRows } from './ledger-rows.js';
import { acquire, leaderOf, release } from './leases.js';
import { countParked, findParked, listParked } from './parking.js';
import { noTable } from './refusal.js';
import { rewrite, whyRejected } from './rewrite.js';
import { holdsMore, makeStoredLedger } from './stored-ledger.js';
import { makeStoredRows } from './stored-rows.js';
import { atOnce, atOnceAnyway, makeTables, type Tables } from './tables.js';
import type { ErasedRows } from '../../../src/infrastructure/postgres/erasure/erased-rows.js';

export type MemoryStorage = ReadModelStorage & {
  /** The live generation of a read model; undefined before one was made. */
  readonly liveGeneration: (readModel: string) => Generation | undefined;
  /** The live rows of a read model with a row for each entity, by id, as they are stored; with `snapshot`. */
  readonly liveRows: (readModel: string) => ReadonlyMap<string, TextRow>;
  /** The live rows of a ledger, in their order. */
  readonly liveLedger: (ledger: string) => ReadonlyArray<LedgerRow>;
  /** What is noted as acknowledged for a read model and a log. */
  readonly acknowledged: (readModel: string, logIdentity: string) => Position | undefined;
  readonly erasedRows: ErasedRows;
  /** All that is in the rows of all generations, as texts. */
  readonly texts: () => ReadonlyArray<string>;
};

const leaseState = (tables: Tables, name: string): LiveCheckpoint['lease'] => {
  if (leaderOf(tables, name) !== undefined) return 'Held';
  return (tables.leases.rows.get(name)?.expiresAt ?? -Infinity) === -Infinity ? 'Free' : 'Lapsed';
};

const noteAcknowledged = (tables: Tables, readModel: string, position: Position): void => {
  tables.migrate();
  const live = liveInstance(tables, readModel);
  if (live === undefined) return;
  const key = `${readModel}/${live.logIdentity}`;
  const before = tables.acknowledged.rows.get(key);
  if (before === undefined || before < position) tables.acknowledged.put(key, position);
};

const makeListen =
  ({ listeners }: Tables): ReadModelStorage['listen'] =>
  (onCheckpoint, _onLost, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const listener: typeof onCheckpoint = (readModel, commit) => onCheckpoint(readModel, commit);
      const end = (): void => {
        listeners.delete(listener);
        resolve();
      };
      listeners.add(listener);
      signal.addEventListener('abort', end, { once: true });
    });

/**
 * Read models in this process, for tests: behaves as Postgres does, and each call takes effect at once. Any number of
 * processes of a test share one. Leases and roles have the time of day of `clock`.
 */
export const makeMemoryStorage = ({ clock }: { readonly clock: Clock }): MemoryStorage => {
  const tables = makeTables(clock);
  const rows: RowStorage = {
    entityRows: (writer) => makeEntityRows(tables, writer),
    ledgerRows: (writer) => makeLedgerRows(tables, writer),
  };

  return {
    ...rows,
    migrate: atOnceAnyway(tables, tables.migrate),
    isMigrated: atOnceAnyway(tables, tables.isMigrated),
    generations: atOnceAnyway(tables, (readModel) => instancesOf(tables, readModel).map(toGeneration)),
    statuses: atOnceAnyway(tables, () => statusesOf(tables)),
    liveCheckpoints: atOnce(tables, () =>
      liveInstances(tables).map(({ projection, checkpoint, name }) => ({
        projection,
        commit: commitOf(checkpoint),
        lease: leaseState(tables, name),
      })),
    ),
    listen: makeListen(tables),
    noteAcknowledged: atOnceAnyway(tables, (readModel, position) => noteAcknowledged(tables, readModel, position)),
    acquire: atOnce(tables, (name, holder, takeOver) => acquire(tables, name, holder, takeOver)),
    release: atOnceAnyway(tables, (lease) => release(tables, lease)),
    change: atOnce(tables, (projection, decide, options) => change(tables, projection, decide, options?.lease)),
    holdsMore: atOnce(tables, ({ name }, than) => holdsMore(tables, name, than.name)),
    // nothing is missing from a table, but it must be there
    complete: atOnce(tables, (_, { name }) => {
      if (!tables.instances.rows.has(name)) throw noTable(name);
    }),
    compare: makeCompare(tables),
    whileWriting: (work) => work(rows),
    rewrite: atOnce(tables, (writer, at, row) => rewrite(tables, writer, at, row)),
    whyRejected: atOnce(tables, (writer, entity) => whyRejected(tables, writer, entity)),
    countParked: atOnce(tables, () => countParked(tables)),
    listParked: atOnce(tables, (limit) => listParked(tables, limit)),
    findParked: atOnce(tables, (stream) => findParked(tables, stream)),
    storedRows: (projection, generation) => makeStoredRows(tables, projection, generation),
    storedLedger: (ledger) => makeStoredLedger(tables, ledger),
    liveGeneration: (readModel) => {
      const live = liveInstance(tables, readModel);
      return live && toGeneration(live);
    },
    liveRows: (readModel) => {
      const contents = liveInstance(tables, readModel)?.contents;
      return contents?.rowFor === 'entity' ? contents.rows.rows : new Map();
    },
    liveLedger: (ledger) => {
      const live = liveInstance(tables, ledger);
      return live === undefined ? [] : ledgerRowsOf(tables, live.name);
    },
    erasedRows: makeMemoryErasedRows(tables),
    texts: () => textsOfAll(tables),
    acknowledged: (readModel, logIdentity) => tables.acknowledged.rows.get(`${readModel}/${logIdentity}`),
  };
};
