import { either as E } from 'fp-ts';
import type pg from 'pg';
import { attempt } from '../../../event-sourcing/attempt.js';
import { StoreUnavailable } from '../../../event-sourcing/event-store.js';
import { isUuid } from '../../../event-sourcing/uuid.js';
import { inTransaction } from '../../../postgres/transaction.js';
import type { LogNotEmpty } from '../../../event-sourcing/whole-log/log-target.js';

const adopt = async (
  client: pg.PoolClient,
  identity: string,
): Promise<E.Either<StoreUnavailable | LogNotEmpty, void>> => {
  // appends wait for this row, so the log stays empty until it has its name
  await client.query('select from event_log.head for update');
  const { rows } = await client.query<{ name: string; is_empty: boolean }>(
    'select identity::text as name, not exists (select from event_log.event) as is_empty from event_log.log',
  );
  const [log] = rows;
  if (log === undefined) return E.left(new StoreUnavailable('the event log has lost its name'));
  if (!log.is_empty) return E.left({ _tag: 'LogNotEmpty', identity: log.name });
  await client.query('update event_log.log set identity = $1', [identity]);
  return E.right(undefined);
};

/** Gives an empty log a name, which must be a UUID. `LogNotEmpty` for a log with events. */
export const adoptIdentity = async (
  pool: pg.Pool,
  identity: string,
): Promise<E.Either<StoreUnavailable | LogNotEmpty, void>> => {
  if (!isUuid(identity)) return E.left(new StoreUnavailable(`a log in Postgres cannot be named ${identity}`));
  const adopted = await attempt(
    () => inTransaction(pool, (client) => adopt(client, identity)),
    (cause) => new StoreUnavailable('the event log could not be named', cause),
  );
  return E.flattenW(adopted);
};
