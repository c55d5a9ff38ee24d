import type { Revision } from '../../event-sourcing/recorded-event.js';
import type { EventsRequest } from '../../read/entity-events.js';

/** Where the next page starts; undefined when there is none. Revisions have no gaps, so the newest says where pages end. */
export const nextPage = ({ direction, from, limit }: EventsRequest, newest: Revision): Revision | undefined => {
  if (limit === undefined) return undefined;
  if (direction === 'forwards') {
    const next = (from ?? 0n) + BigInt(limit);
    return next <= newest ? next : undefined;
  }
  const next = (from === undefined || from > newest ? newest : from) - BigInt(limit);
  return next >= 0n ? next : undefined;
};
