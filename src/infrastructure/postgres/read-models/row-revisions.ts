import type { Projection } from '../../../../projections/projection.js';
import type { Revision } from '../../../event-sourcing/recorded-event.js';
import { isUuid } from '../../../event-sourcing/uuid.js';
import { uuidArray } from '../../../postgres/binary-array.js';
import { makeCoalescedRows } from '../../../postgres/coalesced-rows.js';
import { run, withConnection } from '../../../postgres/statement.js';
import { withTimeout } from '../../../event-sourcing/with-timeout.js';
import type { ReadModelConnections } from './read-model.js';

/** Commands wait for it beside the read of a stream, ms. */
const TIMEOUT_MS = 300;

/** Gives undefined where there is no row. Rejects when the database is away, or does not answer in time. */
export type FindRowRevision = (id: string) => Promise<Revision | undefined>;

/** Finds the revisions that the live rows of a read model show. Calls at the same time share a query. */
export const makeFindRowRevision = (
  { clock, short }: Pick<ReadModelConnections, 'clock' | 'short'>,
  { name: view }: Pick<Projection, 'name'>,
): FindRowRevision => {
  const text = `select id, revision from read_model.${view} where id = any($1::uuid[])`;

  const read = makeCoalescedRows<Revision>(clock, async (ids) => {
    const statement = { name: `${view} revisions`, text, values: [uuidArray(ids)] };
    const rows = await withConnection(short, (client) => run(client, statement, TIMEOUT_MS));
    const found = new Map<string, Revision>();
    for (const [id, revision] of rows)
      if (typeof id === 'string' && typeof revision === 'string') found.set(id, BigInt(revision));
    return found;
  });

  return async (id) => {
    if (!isUuid(id)) return undefined;
    // the driver's limit begins only when there is a connection
    const found = await withTimeout(
      clock,
      TIMEOUT_MS,
      read(id).then((revision) => ({ revision })),
    );
    if (found === undefined) throw new Error(`no answer within ${TIMEOUT_MS} ms`);
    return found.revision;
  };
};
