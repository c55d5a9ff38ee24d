import type * as t from 'io-ts';
import type { Revision } from '../../event-sourcing/recorded-event.js';
import { WHOLE_NUMBER } from '../fields/json-schema.js';
import { parameter } from './parameter.js';

// No stream gets this long, and every store can hold the number after it.
const BEYOND_ANY_STREAM = BigInt(Number.MAX_SAFE_INTEGER) - 1n;

/**
 * A revision, or a place in the ledger, 0-based. A number of any size is valid; a large one lies beyond the last event.
 */
export const revisionParameter = (meaning: string): t.Type<Revision, Revision> =>
  parameter<Revision>({
    expectation: 'a whole number of at least 0',
    meaning,
    schema: WHOLE_NUMBER,
    read: (value) => {
      if (!/^\d+$/.test(value)) return undefined;
      const digits = value.replace(/^0+(?=\d)/, '');
      const revision = digits.length > 16 ? BEYOND_ANY_STREAM : BigInt(digits);
      return revision < BEYOND_ANY_STREAM ? revision : BEYOND_ANY_STREAM;
    },
  });
