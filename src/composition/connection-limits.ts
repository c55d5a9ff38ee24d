import type { Config } from '../config.js';
import type { ConnectionLimits } from '../http/budget/connections.js';

/** Descriptors that are not for clients: files of the process, and its connections to Postgres and the log. */
const RESERVED = 96;

/** A client's connection, and the file or the connection to the file storage that its request may need. */
const FOR_EACH = 2;

/** One in so many connections is kept for others than feeds, and at least `FOR_OTHERS`. */
const SHARE_FOR_OTHERS = 20;
const FOR_OTHERS = 8;

/** How many feeds may be open of so many connections. */
export const feedLimitOf = (connections: number): number =>
  connections - Math.max(FOR_OTHERS, Math.ceil(connections / SHARE_FOR_OTHERS));

/** Fewer are never set: where even these are too many, the process runs out of descriptors and says so. */
const FEWEST = 16;

/** How many connections clients may have open: as the settings say, but no more than `openFiles` descriptors allow. */
export const connectionLimitsOf = (
  { maxConnections, maxConnectionsPerAddress }: Pick<Config, 'maxConnections' | 'maxConnectionsPerAddress'>,
  openFiles: number,
): Pick<ConnectionLimits, 'connections' | 'perAddress'> => ({
  connections: Math.min(maxConnections, Math.max(FEWEST, Math.floor((openFiles - RESERVED) / FOR_EACH))),
  perAddress: maxConnectionsPerAddress,
});
