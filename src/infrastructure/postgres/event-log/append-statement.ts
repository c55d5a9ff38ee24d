import type { Appended } from '../../../event-sourcing/event-store.js';
import type {
  ExpectedRevision,
  NewEvent,
  Position,
  Revision,
  StreamName,
} from '../../../event-sourcing/recorded-event.js';
import { bigintArray, textArray, uuidArray } from '../../../postgres/binary-array.js';

/** One append as it travels in a batch. */
export type AppendCommand = {
  readonly stream: StreamName;
  readonly expected: ExpectedRevision;
  readonly events: ReadonlyArray<NewEvent>;
};

export const firstRevision = ({ expected }: AppendCommand): Revision => (expected === 'no-stream' ? 0n : expected + 1n);

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
const text = `
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

/** `process` names the sender in the notification. */
export const batchAppend = (process: string, commands: ReadonlyArray<AppendCommand>): SentStatement => {
  const rows = commands.flatMap((command) => {
    const first = firstRevision(command);
    return command.events.map((event, index) => ({
      stream: command.stream,
      first,
      revision: first + BigInt(index),
      event,
    }));
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
  return { name: 'event_log.append', text, values };
};

/**
 * One row for each stored append: the head before the batch, and which event of the batch is its first, from 1. A batch
 * of which nothing was stored gives one row with null.
 */
export type AppendRow = [prev: string, ordinal: number | null];

export type StoredCommand<Command extends AppendCommand> = {
  readonly command: Command;
  readonly position: Position;
};

/** Which commands of the batch were stored, each with the position of its first event, and which were not. */
export const splitByStored = <Command extends AppendCommand>(
  commands: ReadonlyArray<Command>,
  prev: Position,
  storedOrdinals: ReadonlySet<number | null>,
): { readonly stored: ReadonlyArray<StoredCommand<Command>>; readonly conflicting: ReadonlyArray<Command> } => {
  const stored: Array<StoredCommand<Command>> = [];
  const conflicting: Array<Command> = [];
  let ordinal = 1;
  for (const command of commands) {
    if (storedOrdinals.has(ordinal)) stored.push({ command, position: prev + BigInt(ordinal) });
    else conflicting.push(command);
    ordinal += command.events.length;
  }
  return { stored, conflicting };
};

export const appendedAt = ({ command, position }: StoredCommand<AppendCommand>): Appended => {
  const further = BigInt(command.events.length - 1);
  return { revision: firstRevision(command) + further, position: position + further, confirmedNew: true };
};
