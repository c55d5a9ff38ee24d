import type { Revision } from '../../event-sourcing/recorded-event.js';
import type { EventsRequest } from '../../read/history.js';

type Window = {
  readonly range: EventsRequest;
  /** Where the next page starts; undefined when there is none. */
  readonly next: Revision | undefined;
};

/** Whether the newest revision has to be known: for a page, and for a range backwards that may begin beyond it. */
export const needsNewest = ({ limit, direction, from }: EventsRequest): boolean =>
  limit !== undefined || (direction === 'backwards' && from !== undefined);

/** The range of a page and the start of the next one. Revisions have no gaps, so the newest says where the pages end. */
export const eventsWindow = (wanted: EventsRequest, newest: Revision): Window => {
  const { direction, from, limit } = wanted;
  if (direction === 'forwards') {
    const next = limit === undefined ? undefined : (from ?? 0n) + BigInt(limit);
    return { range: wanted, next: next !== undefined && next <= newest ? next : undefined };
  }
  const start = from === undefined || from > newest ? newest : from;
  const next = limit === undefined ? undefined : start - BigInt(limit);
  return { range: { ...wanted, from: start }, next: next !== undefined && next >= 0n ? next : undefined };
};
