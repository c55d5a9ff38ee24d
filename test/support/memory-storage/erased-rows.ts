import { HIDDEN_ERASED } from '../../../projections/projection.js';
import { entityIdOf } from '../../../src/event-sourcing/recorded-event.js';
import type { ErasedRow, ErasedRows } from '../../../src/infrastructure/postgres/erasure/erased-rows.js';
import { type LedgerRow, storedLedgerRow } from './ledger-row.js';
import { atOnce, entityContentsOf, ledgerContentsOf, type Tables } from './tables.js';

/** Every generation of these read models. */
const namesOf = ({ instances }: Tables, projections: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...instances.rows]
    .filter(([, { projection }]) => projections.includes(projection))
    .map(([name]) => name)
    .toSorted();

const shown = (name: string): string => `read_model."${name}"`;

const isOf = (row: LedgerRow, { category, entity, revision }: ErasedRow): boolean =>
  row.category === category && row.entity === entity && row.revision === revision;

/** The rows of what is erased, as they are in Postgres. */
export const makeMemoryErasedRows = (tables: Tables): ErasedRows => {
  const rowsOf = (name: string, erased: ReadonlyArray<ErasedRow>) =>
    [...ledgerContentsOf(tables, name).rows.rows.values()].flatMap((row) => {
      const found = erased.find((each) => isOf(row, each));
      return found === undefined ? [] : [{ row, body: found.body }];
    });
  return {
    eraseLedger: atOnce(tables, (ledger, erased) => {
      for (const name of namesOf(tables, [ledger]))
        for (const { row, body } of rowsOf(name, erased)) {
          const nothing = { fields: [], refs: [], reason: null, hash: null };
          ledgerContentsOf(tables, name).rows.put(row.index, storedLedgerRow({ ...row, ...nothing, body }));
        }
    }),
    findLeftInLedger: atOnce(tables, (ledger, erased) =>
      namesOf(tables, [ledger])
        .filter((name) => rowsOf(name, erased).some(({ row, body }) => row.body !== body || row.refs.length > 0))
        .map(shown),
    ),
    findLeftOfEntity: atOnce(tables, (projection, stream) =>
      namesOf(tables, [projection])
        .filter((name) => {
          const row = entityContentsOf(tables, name).rows.rows.get(entityIdOf(stream));
          return row !== undefined && (row['body'] !== null || row['kept'] !== HIDDEN_ERASED);
        })
        .map(shown),
    ),
    forget: atOnce(tables, () => undefined),
  };
};

/** All that is in the rows of all generations, and what is parked, as texts. */
export const textsOfAll = ({ instances }: Tables): ReadonlyArray<string> =>
  [...instances.rows.values()].flatMap(({ contents }) => {
    const rows = [...contents.rows.rows.values()].map((row) =>
      JSON.stringify('leaf' in row ? [row['body'], row['fields'], row['refs'], row['reasonWords'], row['texts']] : row),
    );
    return contents.rowFor === 'event'
      ? rows
      : [
          ...rows,
          ...[...contents.parked.rows.values()].map((row) =>
            JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
          ),
        ];
  });
