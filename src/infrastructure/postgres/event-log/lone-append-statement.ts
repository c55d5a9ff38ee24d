import { type AppendCommand, firstRevision, HEAD_CHANNEL, type SentStatement } from './append-statement.js';
import type { NewEvent } from '../../../event-sourcing/recorded-event.js';

/**
 * `batchAppend` for one event alone. Without arrays it costs half the time, and a client that waits for each answer
 * sends its events alone.
 */
const text = `
  with taken as materialized (
    update event_log.head set position = position + 1 where only_row
    returning position - 1 as prev, pg_notify('${HEAD_CHANNEL}', $1::text || ' ' || position::text)
  ), opening as (
    insert into event_log.event (position, stream, revision, id, type, data, metadata)
    select prev + 1, $2, $3::bigint, $4, $5, $6, $7 from taken
    where $3::bigint = 0 or (select true from event_log.event where stream = $2 and revision = $3::bigint - 1)
    on conflict (stream, revision) do nothing
    returning position
  )
  select prev::text, (opening.position - prev)::integer from taken left join opening on true`;

export const loneAppend = (process: string, command: AppendCommand, event: NewEvent): SentStatement => {
  const revision = firstRevision(command).toString();
  const values = [process, command.stream, revision, event.id, event.type, event.data, event.metadata];
  return { name: 'event_log.append_alone', text, values };
};
