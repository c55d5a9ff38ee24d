import { either as E } from 'fp-ts';
import { bigintArray, byteaArray } from '../../../../src/postgres/binary-array.js';
import type { RunStatement } from '../../../../src/postgres/statement.js';
import type { ReadTiles } from '../../../../src/seal/read-tiles.js';
import type { Appended } from '../../../../src/seal/tree-edge.js';

/** SQL that writes tiles of a generation over those of the same place, from the arrays of `tileArrays` and its name. */
export const upsertTiles = (first: number, source: string): string =>
  `insert into read_model.tile as t (table_name, level, idx, hashes)
   select $${first}, u.level, u.idx, u.hashes
   from ${source}, unnest($${first + 1}::int8[], $${first + 2}::int8[], $${first + 3}::bytea[]) u (level, idx, hashes)
   on conflict (table_name, level, idx) do update set hashes = excluded.hashes`;

/** What `upsertTiles` binds behind the name of the generation. */
export const tileArrays = (tiles: Appended['tiles']): ReadonlyArray<Buffer> => [
  bigintArray(tiles.map(({ level }) => BigInt(level))),
  bigintArray(tiles.map(({ index }) => BigInt(index))),
  byteaArray(tiles.map(({ hashes }) => hashes)),
];

/** Whose tiles: those of one generation, or of whichever generation of a read model is live. */
type TilesOf = { readonly generation: string } | { readonly liveOf: string };

/** Reads tiles from Postgres; rejects with what the database throws. */
export const makeReadTiles = (run: RunStatement, of: TilesOf): ReadTiles<never> => {
  const [what, generation, name] =
    'generation' in of
      ? ['tiles', '$3', of.generation]
      : [
          'live tiles',
          `(select table_name from read_model.instance where projection = $3 and role = 'live')`,
          of.liveOf,
        ];
  const text = `
    select encode(t.hashes, 'hex') from unnest($1::int8[], $2::int8[]) with ordinality as w (level, idx, number)
    left join read_model.tile t on t.table_name = ${generation} and t.level = w.level and t.idx = w.idx
    order by w.number`;
  return async (tiles) => {
    const places = [tiles.map(({ level }) => BigInt(level)), tiles.map(({ index }) => BigInt(index))];
    const rows = await run({ name: `read ${what}`, text, values: [...places.map(bigintArray), name] });
    return E.right(rows.map(([hashes]) => (typeof hashes === 'string' ? Buffer.from(hashes, 'hex') : undefined)));
  };
};
