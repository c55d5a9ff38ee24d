import { isUuid } from '../../event-sourcing/uuid.js';
import type { Cursor } from '../../read/queries.js';

/** The values of `sort`, each with the order that it stands for. */
export const SORTS = {
  created: { by: 'created', isDescending: false },
  '-created': { by: 'created', isDescending: true },
  name: { by: 'name', isDescending: false },
  '-name': { by: 'name', isDescending: true },
} as const;

export type Sort = keyof typeof SORTS;

/**
 * A cursor as `after` has it: the `_id` alone in the order of creation that needs no `sort`; under `sort` an opaque text, of
 * which only this service knows the parts.
 */
export const cursorText = (sort: Sort | undefined, { id, key }: Cursor): string =>
  sort === undefined
    ? id
    : Buffer.from(JSON.stringify([sort, id, ...(key === undefined ? [] : [key])])).toString('base64url');

// No record has such a text as its key, because no log takes a lone surrogate, and Postgres neither of the two.
const IN_NO_KEY = /[\0\p{Surrogate}]/u;

const isKey = (value: unknown): value is string => typeof value === 'string' && !IN_NO_KEY.test(value);

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
};

/** Undefined for what `cursorText` cannot have made under this very `sort`. A client can forge all that it can make. */
export const readCursor = (sort: Sort | undefined, text: string): Cursor | undefined => {
  if (sort === undefined) return { id: text };
  const parts = parsed(text);
  if (!Array.isArray(parts)) return undefined;
  // reason: what was parsed is of no type
  const [madeUnder, id, key] = parts as ReadonlyArray<unknown>;
  if (madeUnder !== sort || typeof id !== 'string' || !isUuid(id)) return undefined;
  if (SORTS[sort].by === 'created') return { id };
  return isKey(key) ? { id, key } : undefined;
};
