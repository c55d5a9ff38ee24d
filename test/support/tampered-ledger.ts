import { either as E } from 'fp-ts';
import type { StoredRow } from '../../projections/engine/storage.js';
import type { LedgerSource } from '../../projections/engine/verify/ledger/ledger-source.js';
import { textsOf } from '../../projections/engine/verify/ledger/row-texts.js';
import { EMPTY, makeNumberRows } from '../../projections/engine/ledger/number-rows.js';
import { ledgerOf, registry } from '../../src/entities/registry.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import type { StoredEvent, StreamName } from '../../src/event-sourcing/recorded-event.js';
import { leafHash } from '../../src/seal/hash.js';
import { oneKey } from './event-keys.js';
import { appendChained, type Chains, interleaved, makeChains, wholeLog } from './chained-events.js';
import { makeInMemoryEventStore } from './in-memory-event-store.js';
import { pageOf } from './page-of.js';
import { keyOf, treeOver } from './sealed-tree.js';

/** A log, its ledger and the tiles of both, as one that tampers with them finds them: nothing refuses a change. */
export type Tampered = {
  events: Array<StoredEvent>;
  rows: Array<StoredRow>;
  readonly tiles: Map<string, Buffer>;
  /** Position of the newest event in the ledger. */
  upTo: bigint;
};

/** The rows and tiles that events make. */
export const ledgerFrom = (events: ReadonlyArray<StoredEvent>): Pick<Tampered, 'rows' | 'tiles' | 'upTo'> => {
  const { rows } = makeNumberRows(ledgerOf(registry))(EMPTY, events);
  const tree = treeOver(rows.map(({ leaf }) => leafHash(leaf)));
  return {
    rows: rows.map((row) => ({ index: row.index, leaf: row.leaf, texts: textsOf(row) })),
    tiles: new Map([...tree.tiles].map(([key, bytes]) => [key, Buffer.from(bytes)])),
    upTo: events.at(-1)?.position ?? -1n,
  };
};

/** `rounds` events of each of `businesses`, in turns, and what is appended behind them. */
export const sealedLog = async (
  businesses: number,
  rounds: number,
  append: (store: EventStore, chains: Chains) => Promise<void> = () => Promise.resolve(),
): Promise<Tampered> => {
  const store = makeInMemoryEventStore();
  const chains = makeChains(oneKey);
  await appendChained(store, chains, ...interleaved(businesses, rounds));
  await append(store, chains);
  const events = [...(await wholeLog(store))];
  return { events, ...ledgerFrom(events) };
};

/** The log as the service reads it. */
export const storeOf = ({ events }: Tampered): Pick<EventStore, 'readStream' | 'readAll'> => ({
  // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
  async *readStream(stream: StreamName, { from = 0n, limit = Infinity }) {
    const found = events.filter((event) => event.stream === stream && event.revision >= from).slice(0, limit);
    if (found.length > 0) yield pageOf(found, true);
  },
  // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
  async *readAll({ after }) {
    const rest = events.filter(({ position }) => after === 'start' || position > after.commit);
    for (let at = 0; at < rest.length; at += 100) {
      const page = rest.slice(at, at + 100);
      const commit = page.at(-1)?.position ?? 0n;
      yield { events: page, checkpoint: { commit, prepare: commit } };
    }
  },
});

/** The ledger as it is compared. */
export const sourceOf = (world: Tampered): LedgerSource => ({
  extent: () => Promise.resolve({ size: (world.rows.at(-1)?.index ?? -1n) + 1n, upTo: world.upTo }),
  rows: (from, limit) => Promise.resolve(world.rows.filter(({ index }) => index >= from).slice(0, limit)),
  placesOf: (keys, from) =>
    Promise.resolve(
      keys.map(({ category, entity, revision }) => {
        const found = world.rows.filter(
          ({ texts }) =>
            texts.category === category && texts.entity === entity && texts.revision === revision.toString(),
        );
        return (found.find(({ index }) => index >= from) ?? found.at(-1))?.index;
      }),
    ),
  readTiles: (tiles) => Promise.resolve(E.right(tiles.map((tile) => world.tiles.get(keyOf(tile))))),
});
