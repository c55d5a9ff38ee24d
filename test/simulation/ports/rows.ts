import type { EntityRows, LedgerRows, ReadModelStorage, RowStorage } from '../../../projections/engine/storage.js';
import type { Way } from '../way.js';
import { called, failed } from './called.js';

const rowsBy = (way: Way, storage: RowStorage): RowStorage => ({
  entityRows: (writer): EntityRows => {
    const rows = storage.entityRows(writer);
    return {
      ...called(way, rows, ['step', 'writeWithParking', 'read', 'parkedStreams']),
      prepare: (entities) => {
        const write = rows.prepare(entities);
        return (step) => way.call('write rows', () => write(step), failed);
      },
    };
  },
  ledgerRows: (writer): LedgerRows => {
    const rows = storage.ledgerRows(writer);
    return {
      ...called(way, rows, ['step', 'end', 'leaves', 'readTiles', 'writeTiles']),
      prepare: (batch) => {
        const write = rows.prepare(batch);
        return (step) => way.call('write ledger', () => write(step), failed);
      },
    };
  },
});

const WHOLE = [
  'migrate',
  'isMigrated',
  'generations',
  'statuses',
  'liveCheckpoints',
  'noteAcknowledged',
  'acquire',
  'release',
  'change',
  'holdsMore',
  'complete',
  'compare',
  'rewrite',
  'whyRejected',
  'countParked',
  'listParked',
  'findParked',
] as const satisfies ReadonlyArray<keyof ReadModelStorage>;

/** The read models, as a process reaches them. The driver never repeats a call. */
export const storageBy = (way: Way, storage: ReadModelStorage): ReadModelStorage => ({
  ...rowsBy(way, storage),
  ...called(way, storage, WHOLE),
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
  storedRows: (projection, generation) =>
    called(way, storage.storedRows(projection, generation), [
      'snapshots',
      'texts',
      'idsAfter',
      'sample',
      'idBehind',
      'missing',
    ]),
  storedLedger: (ledger) => called(way, storage.storedLedger(ledger), ['size', 'rows', 'placesOf', 'readTiles']),
});
