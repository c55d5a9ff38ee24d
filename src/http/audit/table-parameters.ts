import type { Direction } from '../../event-sourcing/event-store.js';
import { Order, readBoolean } from '../parameters/events.js';
import { Limit } from '../parameters/page.js';
import { parameter } from '../parameters/parameter.js';

/** How rows that may also be a table are paged and written. */
export const tableParameters = {
  limit: Limit,
  order: Order,
  bom: parameter<boolean>({
    expectation: 'true or false',
    meaning: 'Begins a table (text/csv) with a byte order mark, by which spreadsheets know UTF-8.',
    schema: { type: 'boolean' },
    read: readBoolean,
  }),
};

export const directionOf = (order: 'asc' | 'desc' | undefined): Direction =>
  order === 'desc' ? 'backwards' : 'forwards';
