import type { Pool } from 'pg';
import type { Stray } from '../../../../event-sourcing/event-store.js';
import type { StreamName } from '../../../../event-sourcing/recorded-event.js';
import { runIn } from '../../../../postgres/statement.js';
import { IN_LOG } from './queries.js';

/** As many as anybody wants to read of. */
const MOST = 1_000;

const TEXT = `
select stream, revision, id, position from event_log.event
where not ${IN_LOG} or position > (select position from event_log.head) order by position limit ${MOST}`;

/** The rows of the table that are not in the log, the first 1,000. Rejects with what the database throws. */
export const readStrays = async (pool: Pool): Promise<ReadonlyArray<Stray>> =>
  (await runIn(pool)({ name: 'event_log.strays', text: TEXT, values: [] })).map(([stream, revision, id, position]) => ({
    stream: (stream ?? '-') as StreamName, // reason: what stands there may be no name, and is shown as it is
    revision: BigInt(revision ?? 0),
    id: id ?? '',
    position: BigInt(position ?? 0),
  }));
