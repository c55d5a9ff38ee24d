import { askRun } from './once-a-run/ask.js';

/**
 * A new, empty database: on the server that `DATABASE_URL` names, or on an embedded one that starts with the first
 * call and stops with the run. Call it in a `before` hook with `this.timeout(startingPostgres)`.
 */
export const freshDatabase = (): Promise<string> => askRun('database');

/** A new database that has what another one of these has now. Nobody may be connected to that. */
export const databaseLike = (url: string): Promise<string> => askRun('database', new URL(url).pathname.slice(1));

/** How long a hook may take that starts the server, ms. */
export const startingPostgres = 60_000;
