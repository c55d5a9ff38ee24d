import { bigintArray, textArray } from '../../../../src/postgres/binary-array.js';
import type { Position, Revision } from '../../../../src/event-sourcing/recorded-event.js';
import type { Pool } from 'pg';
import { runIn } from '../../../../src/postgres/statement.js';
import type { ReadTiles } from '../../../../src/seal/read-tiles.js';
import type { Ledger } from '../../../ledger.js';
import { commitOf } from '../../generation/generation.js';
import { ENTITY, PLACE } from '../../generation/ledger-table.js';
import { readWritableLive } from '../../generation/writable-live.js';
import { makeReadTiles } from '../../ledger/tiles.js';
import { indexedPart } from '../../ledger/ledger-rows.js';
import { COMPARED, COMPARED_SQL, type RowTexts, textsFrom } from './row-texts.js';

/** A row of the ledger as it is stored. */
export type StoredRow = { readonly index: bigint; readonly leaf: Buffer; readonly texts: RowTexts };

/** Names an event, whatever is in it. */
export type EventKey = { readonly category: string; readonly entity: string; readonly revision: Revision };

/** Which events a ledger has: `size` rows, for all events up to `upTo`. */
type LedgerExtent = { readonly size: bigint; readonly upTo: Position };

/** The live rows of a ledger, to be compared. Rejects with what the database throws. */
export type LedgerSource = {
  /** Rejects with `NoLiveRows` where there are none that this program can compare. */
  readonly extent: () => Promise<LedgerExtent>;
  /** Rows from this index on, in their order. */
  readonly rows: (from: bigint, limit: number) => Promise<ReadonlyArray<StoredRow>>;
  /** The index of the row of each event: the first one that is not before `from`, else one before it. */
  readonly placesOf: (keys: ReadonlyArray<EventKey>, from: bigint) => Promise<ReadonlyArray<bigint | undefined>>;
  /** The tree that is kept of the rows. */
  readonly readTiles: ReadTiles<never>;
};

/** Of a bigint in Postgres. Whoever can write into the ledger gives a row any index. */
const LARGEST_INDEX = 2n ** 63n - 1n;

/** The live rows of a ledger in Postgres. */
export const makeLedgerSource = (pool: Pool, ledger: Ledger): LedgerSource => {
  const run = runIn(pool);
  const view = `read_model.${ledger.name}`;
  const columns = COMPARED.map((column) => COMPARED_SQL[column]).join(', ');

  return {
    readTiles: makeReadTiles(run, { liveOf: ledger.name }),
    extent: async () => {
      // the rows may be more than the checkpoint that was read before them says, but never fewer
      const upTo = commitOf((await readWritableLive(pool, ledger)).checkpoint);
      const [row] = await run({
        name: `extent of ${view}`,
        // the largest index that a row may have and one more is no bigint
        text: `select coalesce(max(idx)::numeric + 1, 0) from ${view}`,
        values: [],
      });
      return { size: BigInt(row?.[0] ?? 0), upTo };
    },
    rows: async (from, limit) => {
      if (from > LARGEST_INDEX) return [];
      const rows = await run({
        name: `rows of ${view} to compare`,
        text: `select idx, encode(leaf, 'hex'), ${columns} from ${view} where idx >= $1 order by idx limit $2`,
        values: [from.toString(), String(limit)],
      });
      return rows.map((row) => ({
        index: BigInt(row[0] ?? 0),
        leaf: Buffer.from(row[1] ?? '', 'hex'),
        texts: textsFrom(row, 2),
      }));
    },
    placesOf: async (keys, from) => {
      const is = `l.category = k.category and ${ENTITY.replace('entity', 'l.entity')} = k.part
        and l.entity = k.entity and l.revision = k.revision`;
      const place = PLACE.replace('idx', 'l.idx');
      const found = await run({
        name: `places in ${view}`,
        text: `select coalesce(
            (select ${place} from ${view} l where ${is} and ${place} >= $5::bigint order by ${place} limit 1),
            (select ${place} from ${view} l where ${is} and ${place} < $5::bigint order by ${place} desc limit 1))
          from unnest($1::text[], $2::text[], $3::text[], $4::int8[]) with ordinality
            as k (category, entity, part, revision, number)
          order by k.number`,
        values: [
          textArray(keys.map(({ category }) => category)),
          textArray(keys.map(({ entity }) => entity)),
          textArray(keys.map(({ entity }) => indexedPart(entity))),
          bigintArray(keys.map(({ revision }) => revision)),
          (from > LARGEST_INDEX ? LARGEST_INDEX : from).toString(),
        ],
      });
      return found.map(([index]) => (index === null || index === undefined ? undefined : BigInt(index)));
    },
  };
};
