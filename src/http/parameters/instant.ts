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
