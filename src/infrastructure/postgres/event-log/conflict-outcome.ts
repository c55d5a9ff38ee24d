import { either as E } from 'fp-ts';
import type { Appended, RevisionConflict } from '../../../event-sourcing/event-store.js';
import { nextRevision } from '../../../event-sourcing/recorded-event.js';
import type { Append } from '../../../event-sourcing/whole-log/log-target.js';
import { bigintArray, textArray } from '../../../postgres/binary-array.js';
import type { Statement, TextRow } from '../../../postgres/statement.js';

/** For each append: the newest revision of its stream, and the events that have the revisions it wanted. */
const text = `
    select
      (select revision::text from event_log.event where stream = wanted.stream order by event.revision desc limit 1),
      (select string_agg(id::text || ' ' || position::text, ',' order by event.revision) from event_log.event
        where stream = wanted.stream and revision between wanted.first and wanted.last)
    from unnest($1::text[], $2::bigint[], $3::bigint[]) with ordinality as wanted (stream, first, last, ordinal)
    order by ordinal`;

export const conflictQuery = (appends: ReadonlyArray<Append>): Statement => ({
  name: 'event_log.conflicts',
  text,
  values: [
    textArray(appends.map(({ stream }) => stream)),
    bigintArray(appends.map(({ expected }) => nextRevision(expected))),
    bigintArray(appends.map(({ expected, events }) => nextRevision(expected) + BigInt(events.length - 1))),
  ],
});

/**
 * The outcome of an append that was not stored: it repeats events that are stored already, or it conflicts. Undefined
 * when the stream is at the expected revision after all: the append may be tried again. The row has the revision of the
 * stream's last event, and `id position` of each event at the append's revisions.
 */
export const conflictOutcome = (
  { expected, events }: Append,
  [last, there]: TextRow,
): E.Either<RevisionConflict, Appended> | undefined => {
  const stored = there?.split(',').map((text) => text.split(' ')) ?? [];
  const position = stored.at(-1)?.[1];
  if (position !== undefined && events.every(({ id }, index) => stored[index]?.[0] === id)) {
    const revision = nextRevision(expected) + BigInt(events.length - 1);
    return E.right({ revision, position: BigInt(position), confirmedNew: false });
  }
  const actual = last === null || last === undefined ? 'no-stream' : BigInt(last);
  return actual === expected ? undefined : E.left({ _tag: 'RevisionConflict', expected, actual });
};
