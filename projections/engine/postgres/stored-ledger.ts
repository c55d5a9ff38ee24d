import type { Pool } from 'pg';
import { bigintArray, textArray } from '../../../src/postgres/binary-array.js';
import { runIn } from '../../../src/postgres/statement.js';
import { indexedPart } from '../ledger/ledger-rows.js';
import type { StoredLedger } from '../storage.js';
import { COMPARED, type ComparedColumn, LARGE_BODY, textsFrom } from '../verify/ledger/row-texts.js';
import { makeReadTiles } from './rows/tiles.js';
import { ENTITY, PLACE } from './schema/ledger-table.js';

/** SQL for each column of `RowTexts`. */
const COMPARED_SQL: Readonly<Record<ComparedColumn, string>> = {
  category: 'category',
  entity: 'entity',
  revision: 'revision::text',
  name: 'name',
  actor: 'actor',
  at: 'extract(epoch from at)::text',
  latest: 'extract(epoch from latest)::text',
  is_late: 'is_late::text',
  fields: 'array_to_json(fields)::text',
  refs: 'array_to_json(refs)::text',
  reason_words: 'reason_words::text',
  body: `case when octet_length(body) > ${LARGE_BODY}
    then 'sha256:' || encode(sha256(convert_to(body, 'UTF8')), 'hex') else ' ' || body end`,
};

/** Of a bigint in Postgres. Whoever can write into the ledger gives a row any index. */
const LARGEST_INDEX = 2n ** 63n - 1n;

/** The live rows of a ledger in Postgres. */
export const makeStoredLedger = (pool: Pool, ledger: string): StoredLedger => {
  const run = runIn(pool);
  const view = `read_model.${ledger}`;
  const columns = COMPARED.map((column) => COMPARED_SQL[column]).join(', ');

  return {
    readTiles: makeReadTiles(run, { liveOf: ledger }),
    size: async () => {
      const [row] = await run({
        name: `extent of ${view}`,
        // the largest index that a row may have and one more is no bigint
        text: `select coalesce(max(idx)::numeric + 1, 0) from ${view}`,
        values: [],
      });
      return BigInt(row?.[0] ?? 0);
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
