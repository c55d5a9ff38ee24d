import type { RecordedRead } from '../../read/access/access-record.js';
import { harmless } from '../output.js';

/** A row as a person reads it: when, who, by what, which record, and how. Whole seconds are enough. */
export const readLine = ({ at, user, operation, record, what, form }: RecordedRead): string => {
  const time = at.toISOString().replace(/\.\d+Z$/, 'Z');
  const of = record === undefined ? [] : [`${record.entityType} ${record.entity}`];
  return `${harmless([time, user, operation, ...of, what, form].filter((text) => text !== '').join('  '))}\n`;
};
