import * as t from 'io-ts';
import { objectIn } from '../canonical-json.js';
import type { Revision, StoredEvent } from '../recorded-event.js';

/** Events of a stream: ranges of revisions, both ends inclusive, in their order; or all before the event that says so. */
export const ErasedEvents = t.union([t.literal('all'), t.readonlyArray(t.tuple([t.number, t.number]))]);
export type ErasedEvents = t.TypeOf<typeof ErasedEvents>;

/** What an erasure leaves in the stream of a record: what was erased of it, and on what basis. */
export const Erased = t.type({ events: ErasedEvents, basis: t.string });
export type Erased = t.TypeOf<typeof Erased>;

/** Whether an event of this type says that others of its stream were erased; such events keep their data for ever. */
export const saysErased = ({ type }: Pick<StoredEvent, 'type'>): boolean => type.endsWith('Erased');

/** What such an event says; undefined of all others, and where its data is not of that form. */
export const erasureIn = (event: Pick<StoredEvent, 'type' | 'data'>): Erased | undefined => {
  const data = saysErased(event) ? objectIn(event.data) : undefined;
  return Erased.is(data) ? data : undefined;
};

/** Whether an event is among these; `at`: the revision of the event that says so. */
export const covers = (events: ErasedEvents, at: Revision, revision: Revision): boolean =>
  revision < at && (events === 'all' || events.some(([first, last]) => first <= revision && revision <= last));

/** Adds a revision that is behind all of these ranges: to the last of them where it follows it, else as a new one. */
export const addRevision = (ranges: Array<[first: number, last: number]>, revision: Revision): void => {
  const added = Number(revision);
  const last = ranges.at(-1);
  if (last !== undefined && last[1] + 1 === added) last[1] = added;
  else ranges.push([added, added]);
};

/** How many events these ranges are. */
export const countOf = (events: Exclude<ErasedEvents, 'all'>): number =>
  events.reduce((sum, [first, last]) => sum + last - first + 1, 0);
