import type { Projection } from '../../../../projections/projection.js';
import type { FindTrustedRow, TrustedRow } from '../../../../projections/snapshot.js';
import { isUuid } from '../../../event-sourcing/uuid.js';
import { uuidArray } from '../../../postgres/binary-array.js';
import { run, withConnection } from '../../../postgres/statement.js';
import { withTimeout } from '../../../event-sourcing/with-timeout.js';
import type { ReadModelConnections } from './read-model.js';
import { makeCoalescedRows } from '../../../postgres/coalesced-rows.js';

/** Longer rows are not read: they would have to be read one by one. */
export const LONGEST = 64 * 1024;

/** The stream is read instead, in what this leaves of the time for an answer, ms. */
const TIMEOUT_MS = 300;

/**
 * Finds rows that the service has signed. Undefined for every other row, and when the database does not answer in time.
 * Calls at the same time share a query.
 */
export const makeFindTrustedRow = (
  { clock, short }: Pick<ReadModelConnections, 'clock' | 'short'>,
  { name: view, snapshots }: Projection,
): FindTrustedRow => {
  if (snapshots === undefined) return () => Promise.resolve(undefined);
  const text = `select id, place, revision, body, kept, snapshot from read_model.${view}
    where id = any($1::uuid[]) and body is not null and octet_length(body) <= ${LONGEST} and snapshot is not null`;

  const read = makeCoalescedRows<TrustedRow>(clock, async (ids) => {
    const statement = { name: `${view} trusted`, text, values: [uuidArray(ids)] };
    const rows = await withConnection(short, (client) => run(client, statement, TIMEOUT_MS));
    const found = new Map<string, TrustedRow>();
    for (const [id, place, revision, body, hidden = null, snapshot] of rows) {
      if (typeof id !== 'string' || typeof body !== 'string' || typeof snapshot !== 'string') continue;
      const [creationPosition, newest] = [BigInt(place ?? 0), BigInt(revision ?? 0)];
      const summary = snapshots.verify({ id, creationPosition, revision: newest, body, hidden }, snapshot);
      if (summary !== undefined) found.set(id, { id, creationPosition, revision: newest, body, hidden, summary });
    }
    return found;
  });

  return async (id) => {
    if (!isUuid(id)) return undefined;
    try {
      // the driver's limit begins only when there is a connection
      return await withTimeout(clock, TIMEOUT_MS, read(id));
    } catch {
      // the stream has it all, and says itself when the database is away
      return undefined;
    }
  };
};
