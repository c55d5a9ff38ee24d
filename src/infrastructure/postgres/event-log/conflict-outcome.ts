import { either as E } from 'fp-ts';
import type { Appended, RevisionConflict } from '../../../event-sourcing/event-store.js';
import { type AppendCommand, firstRevision, type SentStatement } from './append-statement.js';
import { bigintArray, textArray } from '../../../postgres/binary-array.js';

/** For each append: the newest revision of its stream, and the events that have the revisions it wanted. */
const text = `
    select
      (select revision::text from event_log.event where stream = wanted.stream order by event.revision desc limit 1),
      array(
        select id::text || ' ' || position::text from event_log.event
        where stream = wanted.stream and revision between wanted.first and wanted.last order by event.revision
      )
    from unnest($1::text[], $2::bigint[], $3::bigint[]) with ordinality as wanted (stream, first, last, ordinal)
    order by ordinal`;

export const conflictQuery = (commands: ReadonlyArray<AppendCommand>): SentStatement => ({
  name: 'event_log.conflicts',
  text,
  values: [
    textArray(commands.map(({ stream }) => stream)),
    bigintArray(commands.map(firstRevision)),
    bigintArray(commands.map((command) => firstRevision(command) + BigInt(command.events.length - 1))),
  ],
});

/** Revision of the stream's last event, and `id position` of the events at the command's revisions. */
export type ConflictRow = [actual: string | null, there: ReadonlyArray<string>];

/**
 * The outcome of an append that was not stored: it repeats events that are stored already, or it conflicts. Undefined
 * when the stream is at the expected revision after all: the append may be tried again.
 */
export const conflictOutcome = (
  command: AppendCommand,
  [last, there]: ConflictRow,
): E.Either<RevisionConflict, Appended> | undefined => {
  const { expected, events } = command;
  const stored = there.map((text) => text.split(' '));
  const position = stored.at(-1)?.[1];
  if (position !== undefined && events.every(({ id }, index) => stored[index]?.[0] === id)) {
    const revision = firstRevision(command) + BigInt(events.length - 1);
    return E.right({ revision, position: BigInt(position), confirmedNew: false });
  }
  const actual = last === null ? 'no-stream' : BigInt(last);
  return actual === expected ? undefined : E.left({ _tag: 'RevisionConflict', expected, actual });
};
