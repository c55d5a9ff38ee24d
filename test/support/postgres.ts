import { askRun } from './once-a-run/ask.js';

/**
 * A new, empty database: on the server that `DATABASE_URL` names, or on an embedded one that starts with the first
 * call and stops with the run. Call it in a `before` hook with `this.timeout(startingPostgres)`.
 */
export const freshDatabase = (): Promise<string> => askRun('database');

/** How long a hook may take that starts the server, ms. */
export const startingPostgres = 60_000;
