import type { BusinessEvent, LedgerEvent } from '../events.js';

// of an event whose data was erased, its name tells no more what data has
export const websitesIn = (events: ReadonlyArray<BusinessEvent>): ReadonlyArray<string | null | undefined> =>
  events.flatMap((event) =>
    event.type !== 'erased' && event.name === 'BusinessUpdated' ? [event.data.changes.website] : [],
  );

// @ts-expect-error an owner that was removed has no equity
export const neverThere = (event: BusinessEvent) => event.name === 'BusinessOwnerRemoved' && event.data.equity;

// an event that the service cannot read has whatever name it was stored with
export const sizesIn = (events: ReadonlyArray<LedgerEvent>): ReadonlyArray<number | undefined> =>
  events.flatMap((event) =>
    event.type !== 'unknown' && event.type !== 'erased' && event.name === 'DocumentCreated'
      ? [event.data.file?.size]
      : [],
  );
