import type { History } from './commands.js';
import type { Read } from './reads.js';
import type { State } from './states.js';

/** A record, as GET, lists and answers to commands show it. */
export type Row = {
  readonly _id: string;
  readonly revision: number;
  readonly name: string;
  readonly phone?: string | null;
  readonly description?: string | null;
  readonly uploadedAt?: string | null;
  readonly owners?: ReadonlyArray<{ readonly user: string; readonly title: string }>;
};

/** Whether a record looks so after the event of its revision; that it is there is not asked. */
export const looksAs =
  ({ revision, name, phone = null, description = phone, uploadedAt = null, owners = [] }: Row) =>
  (state: State): boolean =>
    state.revision === revision &&
    state.name === name &&
    state.note === description &&
    state.uploadedAt === uploadedAt &&
    owners.length === Object.keys(state.owners).length &&
    owners.every(({ user, title }) => state.owners[user] === title);

/** A list, of one page or of all. */
export type Listed = Omit<Read, 'record' | 'seen' | 'fits'> & {
  readonly kind: string;
  /** Each with the time of its page. */
  readonly rows: ReadonlyArray<Pick<Read, 'began' | 'ended' | 'process'> & { readonly row: Row }>;
  /** Whether it is all that there is. */
  readonly isWhole: boolean;
  /** Whether a record may come again on a later page, because its place has changed. */
  readonly mayRepeat?: boolean;
  /** What it is to show. */
  readonly selects: (state: State) => boolean;
};

/** What lists have shown of each record. */
export const readsOfList = (
  { kind, rows, isWhole, selects, ...list }: Listed,
  histories: ReadonlyArray<History & { readonly kind: string }>,
): ReadonlyArray<Read> => {
  return histories.flatMap(({ record, kind: itsKind }): ReadonlyArray<Read> => {
    if (itsKind !== kind) return [];
    const shown = rows.filter(({ row: { _id: id } }) => id === record);
    if (shown.length === 0)
      return isWhole ? [{ ...list, record, seen: 'absent', fits: (state) => !state.isThere || !selects(state) }] : [];
    return shown.map(({ row, ...when }) => {
      const looks = looksAs(row);
      const seen = `revision ${row.revision}, ${row.name}`;
      return { ...list, ...when, record, seen, fits: (state) => state.isThere && selects(state) && looks(state) };
    });
  });
};

/** No record twice, and none that nobody has made. */
export const listFaults = (
  { where, rows, mayRepeat = false }: Listed,
  records: ReadonlySet<string>,
): ReadonlyArray<string> => {
  const ids = rows.map(({ row }) => row._id);
  return [
    ...ids.filter((id, place) => !mayRepeat && ids.indexOf(id) !== place).map((id) => `${where} shows ${id} twice`),
    ...ids.filter((id) => !records.has(id)).map((id) => `${where} shows ${id}, which nobody has made`),
  ];
};
