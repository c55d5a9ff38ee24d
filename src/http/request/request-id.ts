import type { Random } from '../../event-sourcing/random.js';

// What may travel into logs and metadata unchanged.
const SANE = /^[\w.:@/+=-]{1,128}$/;

/** The client's own `X-Request-Id` where it is sane, else a new one. */
export const requestIdOf = (random: Random, header: string | ReadonlyArray<string> | undefined): string =>
  typeof header === 'string' && SANE.test(header) ? header : random.uuid();
