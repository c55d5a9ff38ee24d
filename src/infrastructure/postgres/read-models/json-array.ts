import type { Rows } from '../../../postgres/rows.js';

const OPEN = 0x5b;
const COMMA = 0x2c;
const CLOSE = 0x5d;

/**
 * The JSON texts in a column of the first `count` rows as one JSON array, copied once. At least one row, and no text is
 * null.
 */
export const jsonArrayOf = (rows: Rows, column: number, count: number): Buffer => {
  let length = 1 + count;
  for (let row = 0; row < count; row += 1) length += rows.size(row, column);
  const array = Buffer.allocUnsafe(length);
  array[0] = OPEN;
  let at = 1;
  for (let row = 0; row < count; row += 1) {
    at += rows.copy(row, column, array, at);
    array[at] = COMMA;
    at += 1;
  }
  array[at - 1] = CLOSE;
  return array;
};
