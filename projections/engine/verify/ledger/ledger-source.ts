import type { Position } from '../../../../src/event-sourcing/recorded-event.js';
import type { Ledger } from '../../../ledger.js';
import { commitOf } from '../../generation/generation.js';
import { readWritableLive } from '../../generation/writable-live.js';
import type { ReadModelStorage, StoredLedger } from '../../storage.js';

/** Which events a ledger has: `size` rows, for all events up to `upTo`. */
type LedgerExtent = { readonly size: bigint; readonly upTo: Position };

/** The live rows of a ledger, to be compared. Rejects with what the storage throws. */
export type LedgerSource = Pick<StoredLedger, 'rows' | 'placesOf' | 'readTiles'> & {
  /** Rejects with `NoLiveRows` where there are none that this program can compare. */
  readonly extent: () => Promise<LedgerExtent>;
};

/** The live rows of a ledger in a storage. */
export const makeLedgerSource = (
  storage: Pick<ReadModelStorage, 'generations' | 'storedLedger'>,
  ledger: Ledger,
): LedgerSource => {
  const { size, ...stored } = storage.storedLedger(ledger.name);
  return {
    ...stored,
    extent: async () => {
      // the rows may be more than the checkpoint that was read before them says, but never fewer
      const upTo = commitOf((await readWritableLive(storage, ledger)).checkpoint);
      return { size: await size(), upTo };
    },
  };
};
