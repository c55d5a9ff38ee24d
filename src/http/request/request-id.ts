import { randomUUID } from 'node:crypto';

// What may travel into logs and metadata unchanged.
const SANE = /^[\w.:@/+=-]{1,128}$/;

/**
 * The client's own `X-Request-Id` where it is sane, else a new one. `randomUUID` draws its random bytes in advance, which
 * makes it the fastest generator.
 */
export const requestIdOf = (header: string | ReadonlyArray<string> | undefined): string =>
  typeof header === 'string' && SANE.test(header) ? header : randomUUID();
