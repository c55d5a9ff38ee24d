import type { StoredLedger } from '../../../projections/engine/storage.js';
import { liveInstance } from './generations.js';
import type { LedgerRow } from './ledger-row.js';
import { ledgerRowsOf, makeReadTiles } from './ledger-rows.js';
import { noTable } from './refusal.js';
import { atOnce, ledgerContentsOf, type Tables } from './tables.js';

/** The generation of a ledger that is live; one must be. */
export const liveName = (tables: Tables, ledger: string): string => {
  const instance = liveInstance(tables, ledger);
  if (instance === undefined) throw noTable(ledger);
  return instance.name;
};

export const makeStoredLedger = (tables: Tables, ledger: string): StoredLedger => {
  const rows = (): ReadonlyArray<LedgerRow> => ledgerRowsOf(tables, liveName(tables, ledger));

  return {
    size: atOnce(tables, () => (rows().at(-1)?.index ?? -1n) + 1n),
    rows: atOnce(tables, (from, limit) =>
      rows()
        .filter(({ index }) => index >= from)
        .slice(0, limit)
        .map(({ index, leaf, texts }) => ({ index, leaf, texts })),
    ),
    placesOf: atOnce(tables, (keys, from) => {
      const all = rows();
      return keys.map(({ category, entity, revision }) => {
        const own = all.filter(
          (row) => row.category === category && row.entity === entity && row.revision === revision,
        );
        return (own.find(({ index }) => index >= from) ?? own.at(-1))?.index;
      });
    }),
    readTiles: makeReadTiles(tables, () => liveInstance(tables, ledger)?.name),
  };
};

/** How the body of a record ends that has neither data nor a reason. */
const HAS_NOTHING = /"data":(\{\}|null)\}$/u;

/** Whether a row of the one has data that the row of the same leaf in the other lacks. */
export const holdsMore = (tables: Tables, name: string, than: string): boolean => {
  const others = ledgerContentsOf(tables, than).rows.rows;
  return ledgerRowsOf(tables, name).some(({ index, leaf, body }) => {
    const other = others.get(index);
    return other?.leaf.equals(leaf) === true && HAS_NOTHING.test(other.body) && !HAS_NOTHING.test(body);
  });
};
