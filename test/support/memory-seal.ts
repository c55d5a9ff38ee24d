import { either as E } from 'fp-ts';
import { attempt } from '../../src/event-sourcing/attempt.js';
import type { Clock } from '../../src/event-sourcing/clock.js';
import { unavailable } from '../../src/infrastructure/postgres/read-models/read-model.js';
import type { LedgerSeal } from '../../src/infrastructure/postgres/read-models/open-read-models.js';
import type { CheckpointPlaces } from '../../src/infrastructure/postgres/seal/noted-checkpoints.js';
import type { SignedCheckpoint } from '../../src/read/sealed-tree.js';
import { QUORUM_TIMEOUT_MS } from '../../src/sealing/keep-cosigning.js';
import { makeInTurn } from './in-turn.js';
import type { MemoryStorage } from './memory-storage/memory-storage.js';
import { noTable } from './memory-storage/refusal.js';

type Recorded = SignedCheckpoint & { readonly at: number };
type Noted = Pick<SignedCheckpoint, 'origin' | 'size'> & { readonly place: string };

/** Of the same size, the one that was recorded first. */
const largestOf = (all: ReadonlyArray<Recorded>, origin: string): Recorded | undefined =>
  all.filter((one) => one.origin === origin).toSorted((one, other) => other.size - one.size)[0];

const shown = (recorded: Recorded | undefined): SignedCheckpoint | undefined => {
  if (recorded === undefined) return undefined;
  const { at: _, ...checkpoint } = recorded;
  return checkpoint;
};

const byOriginAndSize = (one: SignedCheckpoint, other: SignedCheckpoint): number =>
  one.origin === other.origin ? one.size - other.size : one.origin < other.origin ? -1 : 1;

/** Those that there are when the first one is asked for. */
// eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous, memory is not
async function* inOrder(all: () => ReadonlyArray<Recorded>): AsyncGenerator<SignedCheckpoint> {
  for (const one of all().toSorted(byOriginAndSize)) yield shown(one)!;
}

/** What is kept of checkpoints beside the rows of a storage in memory: any number of processes of a test share one. */
export const makeMemorySeal = (clock: Clock, storage: MemoryStorage) => {
  let signed: ReadonlyArray<Recorded> = [];
  let cosigned: ReadonlyArray<Recorded> = [];
  const noted: Array<Noted> = [];
  const inTurn = makeInTurn();
  const recordedNow = (checkpoint: SignedCheckpoint): Recorded => ({ ...checkpoint, at: clock.date().getTime() });

  const handedOut = (): SignedCheckpoint | undefined => {
    const newest = signed.at(-1);
    if (newest === undefined) return undefined;
    const { origin, size } = newest;
    const witnessed = largestOf(
      cosigned.filter((one) => one.size <= size),
      origin,
    );
    const overdue = clock.date().getTime() - QUORUM_TIMEOUT_MS;
    const hasWaited = signed.some(
      (one) => one.origin === origin && one.size > (witnessed?.size ?? -1) && one.at < overdue,
    );
    return shown(witnessed !== undefined && (witnessed.size === size || !hasWaited) ? witnessed : newest);
  };

  const sizeOf = (ledger: string): number => Number((storage.liveLedger(ledger).at(-1)?.index ?? -1n) + 1n);
  const isLive = async (ledger: string): Promise<boolean> =>
    (await storage.generations(ledger)).some(({ role }) => role === 'live');

  const lockTree =
    (ledger: string): LedgerSeal['lockTree'] =>
    (work) =>
      inTurn(async () => {
        if (!(await isLive(ledger))) return undefined;
        let own = signed;
        const done = await work({
          size: sizeOf(ledger),
          readTiles: storage.storedLedger(ledger).readTiles,
          largestOf: (origin) => Promise.resolve(shown(largestOf(own, origin))),
          record: (checkpoint) => {
            own = [...own, recordedNow(checkpoint)];
            return Promise.resolve();
          },
        });
        signed = own;
        return done;
      });

  return (ledger: string, places: CheckpointPlaces = ['']): Omit<LedgerSeal, 'storage'> => ({
    lockTree: lockTree(ledger),
    tree: {
      newestCheckpoint: () => Promise.resolve(E.right(handedOut())),
      newestOf: (origin) => Promise.resolve(E.right(shown(largestOf(signed, origin)))),
      cosignedOf: (origin) => Promise.resolve(E.right(shown(largestOf(cosigned, origin)))),
      checkpoints: () => inOrder(() => signed),
      cosigned: () => inOrder(() => cosigned),
      readTiles: (tiles) =>
        attempt(async () => E.toUnion(await storage.storedLedger(ledger).readTiles(tiles)), unavailable),
      readLeaves: (first, count) =>
        attempt(async () => {
          if (!(await isLive(ledger))) throw noTable(ledger);
          const rows = storage.liveLedger(ledger).filter(({ index }) => index >= first && index < first + count);
          return rows.map(({ leaf }) => leaf);
        }, unavailable),
    },
    notes: {
      note: ({ origin, size }) => {
        noted.push({ origin, size, place: places[0] });
        return Promise.resolve();
      },
      largestOf: (origin) => {
        const sizes = noted
          .filter((one) => one.origin === origin && places.includes(one.place))
          .map(({ size }) => size);
        return Promise.resolve(sizes.length === 0 ? undefined : Math.max(...sizes));
      },
    },
    findNoted: (origin) => {
      const own = noted.filter((one) => one.origin === origin);
      const sizesOf = (isHere: boolean): ReadonlyArray<number> =>
        [...new Set(own.filter((one) => places.includes(one.place) === isHere).map(({ size }) => size))].toSorted(
          (one, other) => one - other,
        );
      return Promise.resolve({ origin, sizes: sizesOf(true), elsewhere: sizesOf(false).length });
    },
    openCosigned: () =>
      Promise.resolve({
        largestOf: (origin) => Promise.resolve(shown(largestOf(cosigned, origin))),
        record: (checkpoint) => {
          cosigned = [...cosigned, recordedNow(checkpoint)];
          return Promise.resolve();
        },
        readTiles: storage.storedLedger(ledger).readTiles,
      }),
  });
};

export type MemorySeal = ReturnType<typeof makeMemorySeal>;
