import type { TextRow } from '../../../projections/engine/rows/differing-fields.js';
import { indexedPart } from '../../../projections/engine/ledger/ledger-rows.js';
import type { Listed } from '../../../src/infrastructure/postgres/read-models/read-model.js';
import { type Wanted, wantedOf } from '../../../src/infrastructure/postgres/read-models/read-model-filter.js';
import type { Cursor, FilterValues, ListRequest, Order, RecordFilter } from '../../../src/read/queries.js';
import { elementsOf } from '../memory-storage/stored-text.js';

/** The rows of one read model by id, as they are stored (`storedRow`). */
export type Rows = ReadonlyMap<string, TextRow>;

type Place = { readonly key: string | undefined; readonly place: bigint };

/** A row that a list shows. */
export type ListedRow = Cursor & Place & { readonly body: string };

/** Each beginning of a word in the text of a `tsquery`. */
const BEGINNING = /'([^']+)':\*/gu;

const hasWords = (literal: string, query: string): boolean => {
  const words = literal.slice(1, -1).split("' '");
  return [...query.matchAll(BEGINNING)].every(([, beginning = '']) => words.some((word) => word.startsWith(beginning)));
};

const fulfils = (row: TextRow, wanted: Wanted): boolean => {
  const { value } = wanted;
  if (wanted._tag === 'Words') return hasWords(row['words'] ?? '', value);
  if (wanted._tag === 'Ids') return wanted.values.includes(row['id'] ?? '');
  const cell = row[wanted._tag === 'Since' ? wanted.column : wanted.key.name] ?? null;
  if (cell === null) return false;
  if (wanted._tag === 'Since') return cell >= value;
  if (wanted._tag === 'OneOf')
    return wanted.key.type === 'text[]'
      ? elementsOf(cell).some((each) => wanted.values.includes(each))
      : wanted.values.includes(cell);
  return wanted.key.type === 'text[]' ? elementsOf(cell).includes(value) : cell === value;
};

const byCodePoint = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

const compare = ({ isDescending }: Order, one: Place, other: Place): number => {
  const compared = byCodePoint(one.key ?? '', other.key ?? '');
  const inOrder = compared === 0 ? Number(one.place - other.place) : compared;
  return isDescending ? -inOrder : inOrder;
};

const placeOf = (row: TextRow): bigint => BigInt(row['place'] ?? 0);

/** The text of a row that the order is by; undefined in creation order. Null: the order does not have the row. */
const makeKeyOf = ({ keys }: Pick<Listed, 'keys'>, { by }: Order) => {
  const column = keys.find(({ sort }) => sort === by)?.name;
  return {
    isByKey: column !== undefined,
    keyOf: (row: TextRow): string | null | undefined => {
      if (column === undefined) return undefined;
      const text = row[column] ?? null;
      return text === null ? null : indexedPart(text);
    },
  };
};

/**
 * The rows of a list behind a cursor, in their order, and not behind `upTo`. A cursor keeps its place when its record is
 * deleted; undefined where it never was one.
 */
export const listedRows = (
  { keys }: Pick<Listed, 'keys'>,
  rows: Rows,
  filter: FilterValues & RecordFilter,
  { order, after, upTo }: ListRequest & { readonly upTo?: Place },
): ReadonlyArray<ListedRow> | undefined => {
  const begin = after === undefined ? undefined : rows.get(after.id);
  if (after !== undefined && begin === undefined) return undefined;
  const wanted = wantedOf(keys, filter);
  const { isByKey, keyOf } = makeKeyOf({ keys }, order);
  // nothing comes behind a cursor without the text that the order is by
  if (wanted === undefined || (isByKey && after !== undefined && after.key === undefined)) return [];
  const from = after && begin && { key: isByKey ? after.key : undefined, place: placeOf(begin) };
  return [...rows]
    .flatMap(([id, row]): ReadonlyArray<ListedRow> => {
      const [key, body] = [keyOf(row), row['body'] ?? null];
      if (key === null || body === null || !wanted.every((each) => fulfils(row, each))) return [];
      return [{ id, key, place: placeOf(row), body }];
    })
    .filter((row) => from === undefined || compare(order, from, row) < 0)
    .filter((row) => upTo === undefined || compare(order, row, upTo) <= 0)
    .sort((one, other) => compare(order, one, other));
};
