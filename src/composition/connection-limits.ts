import type { Config } from '../config.js';
import type { ConnectionLimits } from '../http/budget/connections.js';

/** Descriptors that the process keeps for itself: its own files, and its connections to Postgres and the log. */
const RESERVED = 96;

/** A client's connection, and the file or the connection to the file storage that its request may need. */
const FOR_EACH = 2;

/** With fewer connections nobody is served well; the process then runs out of descriptors, and says so. */
const FEWEST = 16;

/** What clients may have open: what the settings allow, as far as `openFiles` descriptors carry it. */
export const connectionLimitsOf = (
  { maxConnections, maxConnectionsPerAddress }: Pick<Config, 'maxConnections' | 'maxConnectionsPerAddress'>,
  openFiles: number,
): Pick<ConnectionLimits, 'connections' | 'perAddress'> => ({
  connections: Math.min(maxConnections, Math.max(FEWEST, Math.floor((openFiles - RESERVED) / FOR_EACH))),
  perAddress: maxConnectionsPerAddress,
});
