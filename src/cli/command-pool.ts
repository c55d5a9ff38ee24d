import { makePool } from '../postgres/pool.js';

/**
 * Connections of an operator's command, named `name` in the server's views. Opening one may take 5 s. `queryMs`: how long a
 * statement may take; default: as long as it does.
 */
export const makeCommandPool = (connectionString: string, name: string, connections: number, queryMs?: number) =>
  makePool({ connectionString, name, connections, connectMs: 5_000, ...(queryMs === undefined ? {} : { queryMs }) });
