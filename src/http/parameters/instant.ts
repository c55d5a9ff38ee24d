import type * as t from 'io-ts';
import { readInstant } from '../../read/read-instant.js';
import { parameter } from './parameter.js';

export const instantParameter = (meaning: string): t.Type<Date, Date> =>
  parameter<Date>({
    expectation: 'an RFC 3339 date-time with Z or an offset',
    meaning,
    schema: { type: 'string', format: 'date-time' },
    read: readInstant,
  });

const LATEST = '9999-12-31T23:59:59.999Z';

/** As records show times, to the millisecond. What is later than any of them is the last one that has four digits of a year. */
export const shownInstant = (instant: Date): string =>
  instant.getTime() <= Date.parse(LATEST) ? instant.toISOString() : LATEST;
