import type { Generation } from '../../../projections/engine/generation/generation.js';
import type { TextRow } from '../../../projections/engine/rows/differing-fields.js';
import type { RowSnapshot, StoredRows } from '../../../projections/engine/storage.js';
import type { Projection } from '../../../projections/projection.js';
import { isUuid } from '../../../src/event-sourcing/uuid.js';
import { comparedRow } from './entity-row.js';
import { ledgerRowsOf } from './ledger-rows.js';
import { liveName } from './stored-ledger.js';
import { atOnce, atOnceAnyway, entityContentsOf, type Tables } from './tables.js';

export const makeStoredRows = (
  tables: Tables,
  { category }: Projection,
  { name }: Pick<Generation, 'name'>,
): StoredRows => {
  const rows = (): ReadonlyMap<string, TextRow> => entityContentsOf(tables, name).rows.rows;
  const ids = (): ReadonlyArray<string> => [...rows().keys()].toSorted();

  return {
    snapshots: atOnceAnyway(tables, (wanted): ReadonlyArray<RowSnapshot> | undefined => {
      const instance = tables.instances.rows.get(name);
      if (instance === undefined || wanted.length === 0) return undefined;
      const { checkpoint } = instance;
      const contents = entityContentsOf(tables, name);
      return wanted.map((id) => {
        const row = contents.rows.rows.get(id);
        return {
          row: row && comparedRow(row),
          checkpoint: checkpoint === 'start' ? undefined : checkpoint.commit,
          parkedAt: contents.parked.rows.get(`${category}-${id}`)?.revision,
        };
      });
    }),
    texts: atOnce(tables, ({ from, after, before, limit }) =>
      ids()
        .filter(
          (id) =>
            (from === undefined || id >= from) &&
            (after === undefined || id > after) &&
            (before === undefined || id < before),
        )
        .slice(0, limit)
        .flatMap((id) => {
          const row = rows().get(id);
          return row === undefined ? [] : [comparedRow(row)];
        }),
    ),
    idsAfter: atOnce(tables, (after, limit) =>
      ids()
        .filter((id) => after === undefined || id > after)
        .slice(0, limit),
    ),
    // any rows could have been drawn
    sample: atOnce(tables, (size) => ids().slice(0, size)),
    idBehind: atOnce(tables, (share) => ids()[Math.floor(share * rows().size)]),
    missing: atOnce(tables, (ledger, after, limit) => {
      const there = rows();
      const part = ledgerRowsOf(tables, liveName(tables, ledger))
        .filter(({ index }) => index > after)
        .slice(0, limit);
      return {
        ids: part
          .filter((row) => row.category === category && row.revision === 0n && isUuid(row.entity))
          .map(({ entity }) => entity)
          .filter((id) => !there.has(id)),
        last: part.at(-1)?.index,
      };
    }),
  };
};
