/**
 * What the first page of a range that starts small may hold, and so its reader before it knows whether there is more. A
 * history of ordinary changes that fits is read at once.
 */
export const FIRST_PAGE = { events: 100, bytes: 128 * 1024 } as const;
