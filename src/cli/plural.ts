/** A noun: of one, and of another number, where an s is not enough. Also a verb: `['differs', 'differ']`. */
export type Noun = readonly [one: string, many?: string];

/** A count with its noun: `1 event`, `2 events`. */
export const counted = (count: number, ...[one, many = `${one}s`]: Noun): string =>
  `${count} ${count === 1 ? one : many}`;
