import type { ReadModel } from '../../../read-model.js';
import { createLedgerIndexes, createLedgerTable, LEDGER_COLUMNS } from './ledger-table.js';
import { BASE_COLUMNS, createIndexes, createStatistics, createTable } from './table.js';

/** The SQL that makes the table of one generation. */
type TableStatements = {
  readonly create: string;
  /** One for each index that reads need, which does nothing when it exists. Later over existing rows is faster. */
  readonly indexes: ReadonlyArray<string>;
  /** Have `analyze` collect more than it does by itself; each does nothing when it was run before. */
  readonly statistics: ReadonlyArray<string>;
};

/** `table` is its whole name; `name` that without the schema. */
export const tableStatements = (model: ReadModel, table: string, name: string): TableStatements =>
  model.rowFor === 'entity'
    ? {
        create: createTable(table, model.keys),
        indexes: createIndexes(table, name, model.keys),
        statistics: createStatistics(table, name, model.keys),
      }
    : { create: createLedgerTable(table), indexes: createLedgerIndexes(table, name), statistics: [] };

/** What the log determines of a row: the column that names it, and the others. */
export const comparedColumns = (model: ReadModel): { readonly id: string; readonly columns: ReadonlyArray<string> } => {
  const [[id = '', ...columns], keys] =
    model.rowFor === 'entity'
      ? [BASE_COLUMNS, model.keys.map(({ name }) => name)]
      : [LEDGER_COLUMNS.map(({ name }) => name), []];
  return { id, columns: [...columns, ...keys] };
};
