import { randomUUID } from 'node:crypto';

// What may travel into logs and metadata unchanged.
const SANE = /^[\w.:@/+=-]{1,128}$/;

/**
 * The client's own `X-Request-Id` where it is sane, else a new one: by the one generator that draws its random bytes
 * in advance, since every request takes this path.
 */
export const requestIdOf = (header: string | ReadonlyArray<string> | undefined): string =>
  typeof header === 'string' && SANE.test(header) ? header : randomUUID();
