import type { Appended } from '../../../event-sourcing/event-store.js';
import { type NewEvent, nextRevision, type Position } from '../../../event-sourcing/recorded-event.js';
import type { Append } from '../../../event-sourcing/whole-log/log-target.js';
import { bigintArray, textArray, uuidArray } from '../../../postgres/binary-array.js';

/** A named statement, so that the server parses and plans it once for each connection, and its parameters. */
export type SentStatement = { readonly name: string; readonly text: string; readonly values: Array<unknown> };

/** Channel on which a process sends the new head of the log to the others: `<process> <position>`. */
export const HEAD_CHANNEL = 'event_log_head';

/**
 * Stores a batch of appends, at most one of each stream, in one round trip and one commit.
 *
 * Raising `head` comes first and locks it, so the positions of the batch follow those of every batch committed before.
 * The statement's snapshot may be older than that lock: only the unique index sees what was committed in between. So
 * the first event of an append decides for all of them: its predecessor must exist and its revision must be free. Where
 * it fits, the others fit too. An append whose first event is not returned was not stored.
 */
const batchText = `
    with taken as materialized (
      update event_log.head set position = position + $1::integer where only_row
      returning position - $1::integer as prev, pg_notify('${HEAD_CHANNEL}', $2::text || ' ' || position::text)
    ), batch as materialized (
      select taken.prev + given.ordinal as position, given.*
      from taken, unnest($3::text[], $4::bigint[], $5::bigint[], $6::uuid[], $7::text[], $8::text[], $9::text[])
        with ordinality as given (stream, revision, first, id, type, data, metadata, ordinal)
    ), opening as (
      insert into event_log.event (position, stream, revision, id, type, data, metadata)
      select position, stream, revision, id, type, data, metadata
      from batch
      where revision = first and (first = 0 or (
        select true from event_log.event before where before.stream = batch.stream and before.revision = batch.first - 1
      ))
      on conflict (stream, revision) do nothing
      returning stream, position
    ), following as (
      insert into event_log.event (position, stream, revision, id, type, data, metadata)
      select batch.position, batch.stream, revision, id, type, data, metadata
      from batch join opening using (stream)
      where revision > first
    )
    select prev::text, (opening.position - prev)::integer from taken left join opening on true`;

const batchAppend = (process: string, appends: ReadonlyArray<Append>): SentStatement => {
  const rows = appends.flatMap(({ stream, expected, events }) => {
    const first = nextRevision(expected);
    return events.map((event, index) => ({ stream, first, revision: first + BigInt(index), event }));
  });
  const values = [
    rows.length,
    process,
    textArray(rows.map(({ stream }) => stream)),
    bigintArray(rows.map(({ revision }) => revision)),
    bigintArray(rows.map(({ first }) => first)),
    uuidArray(rows.map(({ event }) => event.id)),
    textArray(rows.map(({ event }) => event.type)),
    textArray(rows.map(({ event }) => event.data)),
    textArray(rows.map(({ event }) => event.metadata)),
  ];
  return { name: 'event_log.append', text: batchText, values };
};

/**
 * The same for one event alone. Without arrays it costs half the time, and a client that waits for each answer sends its
 * events alone.
 */
const loneText = `
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

const loneAppend = (process: string, { stream, expected }: Append, event: NewEvent): SentStatement => {
  const values = [process, stream, nextRevision(expected).toString(), event.id, event.type, event.data, event.metadata];
  return { name: 'event_log.append_alone', text: loneText, values };
};

/** The statement that stores a batch, at most one append of each stream. `process` signs its notification. */
export const appendStatement = (process: string, batch: ReadonlyArray<Append>): SentStatement => {
  const [only, ...others] = batch;
  return only !== undefined && others.length === 0 && only.events.length === 1
    ? loneAppend(process, only, only.events[0])
    : batchAppend(process, batch);
};

/**
 * One row for each stored append: the head before the batch, and which event of the batch is its first, from 1. A batch
 * of which nothing was stored gives one row with null.
 */
export type AppendRow = [prev: string, ordinal: number | null];

/** `position`: of the first event of the append. */
export type StoredAppend<A extends Append> = { readonly append: A; readonly position: Position };

/** Which appends of the batch were stored and which were not. */
export const splitByStored = <A extends Append>(
  batch: ReadonlyArray<A>,
  prev: Position,
  storedOrdinals: ReadonlySet<number | null>,
): { readonly stored: ReadonlyArray<StoredAppend<A>>; readonly conflicting: ReadonlyArray<A> } => {
  const stored: Array<StoredAppend<A>> = [];
  const conflicting: Array<A> = [];
  let ordinal = 1;
  for (const append of batch) {
    if (storedOrdinals.has(ordinal)) stored.push({ append, position: prev + BigInt(ordinal) });
    else conflicting.push(append);
    ordinal += append.events.length;
  }
  return { stored, conflicting };
};

export const appendedAt = ({ append, position }: StoredAppend<Append>): Appended => {
  const further = BigInt(append.events.length - 1);
  return { revision: nextRevision(append.expected) + further, position: position + further, confirmedNew: true };
};
