import { markdownTable } from '../../support/markdown.js';

/** What came of one thing that was tried with a client. */
export type Cell =
  | { readonly _tag: 'Ok' }
  | { readonly _tag: 'Failed'; readonly why: string }
  /** By the generator's own limits, or those of the machine. */
  | { readonly _tag: 'LeftOut'; readonly why: string };

export type Row = {
  readonly name: string;
  readonly version: string;
  readonly cells: ReadonlyMap<string, Cell>;
};

const WORDS = { Ok: 'ok', Failed: 'FAILED', LeftOut: 'left out' } as const;

const columnsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => [
  ...new Set(rows.flatMap(({ cells }) => [...cells.keys()])),
];

/** Clients × what was tried as a Markdown table, and below it why a cell is not ok. */
export const tableOf = (rows: ReadonlyArray<Row>): string => {
  const columns = columnsOf(rows);
  const word = ({ cells }: Row, column: string): string => {
    const cell = cells.get(column);
    return cell === undefined ? '' : WORDS[cell._tag];
  };
  const body = rows.map((row) => [row.name, row.version, ...columns.map((column) => word(row, column))]);
  const whys = rows.flatMap(({ name, cells }) =>
    [...cells].flatMap(([column, cell]) =>
      cell._tag === 'Ok' ? [] : [`${name}, ${column}: ${WORDS[cell._tag]}: ${cell.why}`],
    ),
  );
  return [markdownTable([['client', 'version', ...columns], ...body]), ...whys].join('\n');
};

/** How many cells have come to this. */
export const countOf = (rows: ReadonlyArray<Row>, tag: Cell['_tag']): number =>
  rows.flatMap(({ cells }) => [...cells.values()]).filter(({ _tag }) => _tag === tag).length;
