import type { EntityRows, LedgerRows, ReadModelStorage, RowStorage } from '../../../projections/engine/storage.js';
import type { Way } from '../way.js';
import { called, failed } from './called.js';

/** The members of the port and of its parts that are a call, and nothing else. */
export const CALLS = {
  plain: [
    ...(['migrate', 'isMigrated', 'generations', 'statuses', 'liveCheckpoints', 'noteAcknowledged'] as const),
    ...(['acquire', 'release', 'holdsMore', 'complete', 'rewrite', 'whyRejected'] as const),
    ...(['countParked', 'listParked', 'findParked'] as const),
  ],
  entityRows: ['step', 'writeWithParking', 'read', 'parkedStreams'],
  ledgerRows: ['step', 'end', 'leaves', 'readTiles', 'writeTiles'],
  storedRows: ['snapshots', 'texts', 'idsAfter', 'sample', 'idBehind', 'missing'],
  storedLedger: ['size', 'rows', 'placesOf', 'readTiles'],
} as const;

const rowsBy = (way: Way, storage: RowStorage): RowStorage => ({
  entityRows: (writer): EntityRows => {
    const rows = storage.entityRows(writer);
    return {
      ...called(way, rows, CALLS.entityRows),
      prepare: (entities) => {
        const write = rows.prepare(entities);
        return (step) => way.call('write rows', () => write(step), failed);
      },
    };
  },
  ledgerRows: (writer): LedgerRows => {
    const rows = storage.ledgerRows(writer);
    return {
      ...called(way, rows, CALLS.ledgerRows),
      prepare: (batch) => {
        const write = rows.prepare(batch);
        return (step) => way.call('write ledger', () => write(step), failed);
      },
    };
  },
});

/** The read models, as a process reaches them. The driver never repeats a call. */
export const storageBy = (way: Way, storage: ReadModelStorage): ReadModelStorage => ({
  ...rowsBy(way, storage),
  ...called(way, storage, [...CALLS.plain, 'change', 'compare']),
  // when the storage is away, the lease expires instead
  release: (lease) =>
    way.call(
      'release',
      () => storage.release(lease),
      () => Promise.resolve(),
    ),
  whileWriting: (work) => storage.whileWriting((rows) => work(rowsBy(way, rows))),
  listen: (onCheckpoint, onLost, signal) =>
    storage.listen((readModel, commit) => way.hear(() => onCheckpoint(readModel, commit), onLost), onLost, signal),
  storedRows: (projection, generation) => called(way, storage.storedRows(projection, generation), CALLS.storedRows),
  storedLedger: (ledger) => called(way, storage.storedLedger(ledger), CALLS.storedLedger),
});
