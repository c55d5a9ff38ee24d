import { either as E } from 'fp-ts';
import { commitOf } from '../../projections/engine/generation/generation.js';
import type { Projection } from '../../projections/projection.js';
import type { FindTrustedRow } from '../../projections/snapshot.js';
import type { ReadModelQueries } from '../../src/infrastructure/postgres/read-models/make-read-model-queries.js';
import { LONGEST } from '../../src/infrastructure/postgres/read-models/trusted-rows.js';
import { queriesOver, readRowsOf } from './in-memory-ledger.js';
import type { MemorySeal } from './memory-seal.js';
import type { MemoryStorage } from './memory-storage/memory-storage.js';
import { noTable } from './memory-storage/refusal.js';
import { type ReadRows, rowQueries } from './row-queries/row-queries.js';

type Parts = { readonly storage: MemoryStorage; readonly seal: MemorySeal };

/** The live rows of a read model: those that its writer has written until this moment. */
const makeReadRows =
  (storage: MemoryStorage, readModel: string): ReadRows =>
  // eslint-disable-next-line @typescript-eslint/require-await -- the rows are at hand, the port is asynchronous
  async (read, asNoted = false) => {
    const live = storage.liveGeneration(readModel);
    if (live === undefined) throw noTable(readModel);
    const { checkpoint, logIdentity } = live;
    const noted = storage.acknowledged(readModel, logIdentity) ?? -1n;
    if (asNoted && (checkpoint === 'start' || checkpoint.commit < noted))
      throw new Error(`the rows of ${readModel} lack a change that was acknowledged`);
    return read(storage.liveRows(readModel));
  };

const makeFindTrustedRow = (readRows: ReadRows, { snapshots }: Projection): FindTrustedRow => {
  if (snapshots === undefined) return () => Promise.resolve(undefined);
  return (id) =>
    readRows((rows) => {
      const row = rows.get(id);
      const [body, snapshot] = [row?.['body'] ?? null, row?.['snapshot'] ?? null];
      if (row === undefined || body === null || snapshot === null) return undefined;
      if (Buffer.byteLength(body) > LONGEST) return undefined;
      const [creationPosition, revision] = [BigInt(row['place'] ?? 0), BigInt(row['revision'] ?? 0)];
      const signed = { id, creationPosition, revision, body, hidden: row['kept'] ?? null };
      const summary = snapshots.verify(signed, snapshot);
      return summary && { ...signed, summary };
    }).catch(() => undefined);
};

/**
 * The queries of the service over the rows of read models in memory, as the engine has written them. Each answer is of the
 * moment at which it is asked for. There are no guards to be lifted, and nobody makes backups of it.
 */
export const makeMemoryReadModels = ({ storage, seal }: Parts): ReadModelQueries => ({
  of: (listed) => rowQueries(listed, makeReadRows(storage, listed.name)),
  findTrustedRow: (projection) => makeFindTrustedRow(makeReadRows(storage, projection.name), projection),
  ofLedger: (ledger) => {
    const readRows = readRowsOf(ledger);
    // eslint-disable-next-line @typescript-eslint/require-await -- the rows are at hand, the port is asynchronous
    return queriesOver(async () => {
      if (storage.liveGeneration(ledger.name) === undefined) throw noTable(ledger.name);
      return readRows(storage.liveLedger(ledger.name));
    });
  },
  sealedTree: ({ name }) => seal(name).tree,
  ledgerExtent:
    ({ name }) =>
    () =>
      Promise.resolve({
        upTo: commitOf(storage.liveGeneration(name)?.checkpoint ?? 'start'),
        size: Number((storage.liveLedger(name).at(-1)?.index ?? -1n) + 1n),
      }),
  liftedGuards: () => Promise.resolve([]),
  findRevision: ({ name }) => {
    const readRows = makeReadRows(storage, name);
    return (id) =>
      readRows((rows) => {
        const row = rows.get(id);
        return row && BigInt(row['revision'] ?? 0);
      });
  },
  lastBackup: () => Promise.resolve(undefined),
  ping: () => Promise.resolve(E.right('Writes')),
  close: () => Promise.resolve(),
});
