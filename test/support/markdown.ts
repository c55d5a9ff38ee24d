/** The cells of each row of the first table below a heading, its head included. */
export const tableBelow = (page: string, heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const [, table = ''] = /\n((?:\|.*\n)+)/.exec(`\n${page}`.split(`\n${heading}\n`)[1] ?? '') ?? [];
  const rows = table.trim().split('\n');
  return rows.toSpliced(1, 1).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
};

/** What stands in backticks. */
export const codeIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

/** Rows of cells as a table, the first row as its head, with columns of equal width. */
export const markdownTable = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const [head = '', ...rest] = rows.map(
    (row) => `| ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rest].join('\n');
};

/** A heading as a link names it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** The anchors of the headings of a page. */
export const anchorsIn = (page: string): ReadonlyArray<string> =>
  [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
