import type { Appended } from '../../../event-sourcing/event-store.js';
import { type NewEvent, nextRevision, type Position } from '../../../event-sourcing/recorded-event.js';
import type { Append } from '../../../event-sourcing/whole-log/log-target.js';
import { bigintArray, textArray, uuidArray } from '../../../postgres/binary-array.js';
import type { Statement, TextRow } from '../../../postgres/statement.js';

/** Channel on which a process sends the new head of the log to the others: `<process> <position>`. */
export const HEAD_CHANNEL = 'event_log_head';

const notified = (notifier: string): string =>
  `case when ${notifier}::text is not null then pg_notify('${HEAD_CHANNEL}', ${notifier} || ' ' || position::text) end`;

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
      returning position - $1::integer as prev, ${notified('$2')}
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

const batchAppend = (notifier: string | null, appends: ReadonlyArray<Append>): Statement => {
  const rows = appends.flatMap(({ stream, expected, events }) => {
    const first = nextRevision(expected);
    return events.map((event, index) => ({ stream, first, revision: first + BigInt(index), event }));
  });
  const values = [
    String(rows.length),
    notifier,
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
    returning position - 1 as prev, ${notified('$1')}
  ), opening as (
    insert into event_log.event (position, stream, revision, id, type, data, metadata)
    select prev + 1, $2, $3::bigint, $4, $5, $6, $7 from taken
    where $3::bigint = 0 or (select true from event_log.event where stream = $2 and revision = $3::bigint - 1)
    on conflict (stream, revision) do nothing
    returning position
  )
  select prev::text, (opening.position - prev)::integer from taken left join opening on true`;

const loneAppend = (notifier: string | null, { stream, expected }: Append, event: NewEvent): Statement => {
  const values = [
    notifier,
    stream,
    nextRevision(expected).toString(),
    event.id,
    event.type,
    event.data,
    event.metadata,
  ];
  return { name: 'event_log.append_alone', text: loneText, values };
};

/** The statement that stores a batch, at most one append of each stream; notifies others in the name of `notifier`. */
export const appendStatement = (notifier: string | null, batch: ReadonlyArray<Append>): Statement => {
  const [only, ...others] = batch;
  return only !== undefined && others.length === 0 && only.events.length === 1
    ? loneAppend(notifier, only, only.events[0])
    : batchAppend(notifier, batch);
};

/** `position`: of the first event of the append. */
export type StoredAppend<A extends Append> = { readonly append: A; readonly position: Position };

/** What became of a batch. */
type BatchOutcome<A extends Append> = {
  /** The head of the log before the batch, and after it: it has taken the positions in between. */
  readonly prev: Position;
  readonly head: Position;
  readonly stored: ReadonlyArray<StoredAppend<A>>;
  readonly conflicting: ReadonlyArray<A>;
};

/**
 * Reads the answer to `appendStatement`: a row for each stored append, with the head before the batch, and which event of
 * the batch is its first, from 1; one row with null for a batch of which nothing was stored.
 */
export const outcomeOf = <A extends Append>(batch: ReadonlyArray<A>, rows: ReadonlyArray<TextRow>): BatchOutcome<A> => {
  const prev = BigInt(rows[0]?.[0] ?? 0);
  const storedOrdinals = new Set(rows.map((row) => Number(row[1])));
  const stored: Array<StoredAppend<A>> = [];
  const conflicting: Array<A> = [];
  let ordinal = 1;
  for (const append of batch) {
    if (storedOrdinals.has(ordinal)) stored.push({ append, position: prev + BigInt(ordinal) });
    else conflicting.push(append);
    ordinal += append.events.length;
  }
  return { prev, head: prev + BigInt(ordinal - 1), stored, conflicting };
};

export const appendedAt = ({ append, position }: StoredAppend<Append>): Appended => {
  const further = BigInt(append.events.length - 1);
  return { revision: nextRevision(append.expected) + further, position: position + further, confirmedNew: true };
};
