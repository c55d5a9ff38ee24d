/** Rows by their key. */
export type Table<Key, Row> = {
  readonly rows: ReadonlyMap<Key, Row>;
  readonly put: (key: Key, row: Row) => void;
  readonly remove: (key: Key) => void;
};

/** Makes a table that tells how each of its changes is undone. */
export const makeTable = <Key, Row>(onChange: (undo: () => void) => void): Table<Key, Row> => {
  const rows = new Map<Key, Row>();
  const putBack = (key: Key): (() => void) => {
    const before = rows.get(key);
    return () => {
      if (before === undefined) rows.delete(key);
      else rows.set(key, before);
    };
  };
  return {
    rows,
    put: (key, row) => {
      onChange(putBack(key));
      rows.set(key, row);
    },
    remove: (key) => {
      onChange(putBack(key));
      rows.delete(key);
    },
  };
};
