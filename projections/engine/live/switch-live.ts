import type { Position } from '../../../src/event-sourcing/recorded-event.js';
import type { DomainEvent } from '../../../src/event-sourcing/serde.js';
import type { Role } from '../instance/instance.js';
import { dropInstance, isLockTimeout, LOCK_TIMEOUT, makeLive } from '../instance/roles.js';
import { inTransaction, lockSchema } from '../schema.js';
import type { Writer } from '../write-batch.js';

type Candidate = {
  readonly table_name: string;
  readonly role: Role;
  readonly checkpoint_commit: string | null;
  readonly is_held: boolean;
};

const CANDIDATES = `
select table_name, role, checkpoint_commit, exists (
  select from read_model.lease where name = table_name and expires_at > clock_timestamp()
) as is_held
from read_model.instance where projection = $1 for update`;

const HOLDS = 'select from read_model.lease where name = $1 and holder = $2 and fencing = $3';

/**
 * Makes an instance the live one, when it shows all that the live one shows or all there is: `own` is its checkpoint,
 * `head` the newest event. An instance that was live before takes over only from one that no process writes any more,
 * so that two versions running side by side do not take turns. One transaction: readers see either.
 * False when it is too early, or readers are in the way.
 */
export const switchLive = async <State, Event extends DomainEvent>(
  { pool, projection: { name: projection }, instance, lease }: Writer<State, Event>,
  own: Position,
  head: Position | undefined,
): Promise<boolean> => {
  try {
    return await inTransaction(pool, async (client) => {
      await lockSchema(client);
      await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
      const { rows } = await client.query<Candidate>(CANDIDATES, [projection]);
      const held = await client.query(HOLDS, [lease.name, lease.holder, lease.fencing]);
      const me = rows.find(({ table_name }) => table_name === instance.name);
      const live = rows.find(({ role }) => role === 'live');
      if (held.rowCount !== 1 || me === undefined) return false;
      const shown = BigInt(live?.checkpoint_commit ?? -1n);
      const isLevel = own >= shown || head === undefined || own >= head;
      if (!isLevel || (me.role === 'previous' && live?.is_held === true)) return false;
      await makeLive(client, projection, instance);
      const unused = rows.filter(({ table_name, is_held }) => !is_held && table_name !== live?.table_name);
      for (const { table_name: name } of unused.filter(({ table_name }) => table_name !== instance.name))
        await dropInstance(client, { name });
      return true;
    });
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
};
