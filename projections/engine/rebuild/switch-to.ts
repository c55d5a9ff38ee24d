import type { DomainEvent } from '../../../src/event-sourcing/serde.js';
import type { Lease } from '../instance/lease.js';
import type { Database } from '../schema.js';
import { makeLive } from '../instance/roles.js';
import { whileLiveStands } from './live-stands.js';
import type { Rebuilding } from './rebuilding.js';
import { dropOthers } from './replace-foreign.js';

// whoever wrote the replaced rows writes the new ones: at no moment may a third one think that nobody does
const HAND_OVER = `
update read_model.lease as own
set holder = other.holder, fencing = own.fencing + 1, expires_at = other.expires_at
from read_model.lease as other
where own.name = $1 and own.holder = $2 and own.fencing = $3::bigint and other.name = $4`;

const handOver = (database: Database, { name, holder, fencing }: Lease, replaced: string): Promise<unknown> =>
  database.query(HAND_OVER, [name, holder, fencing, replaced]);

export type SwitchedTo = { readonly live: string; readonly previous: string | undefined };

/**
 * Makes the instance the live one when it shows exactly what the live one shows, in one transaction: readers see
 * either, and no acknowledged write is missing from what they see. What was live before is kept as previous. The
 * writer's lease is its no more.
 */
export const switchTo = <State, Event extends DomainEvent>(rebuilding: Rebuilding<State, Event>): Promise<SwitchedTo> =>
  whileLiveStands(rebuilding, async (client, live) => {
    const { instance, lease, projection } = rebuilding.writer;
    // what may be live is of another log: there is no going back to it
    if (live === undefined) await dropOthers(client, projection.name, instance);
    await makeLive(client, projection.name, instance);
    if (live !== undefined) await handOver(client, lease, live.name);
    return { live: instance.name, previous: live?.name };
  });
