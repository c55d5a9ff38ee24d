import { csvLineOf } from '../csv-line.js';
import type { RecordedRead } from './access-record.js';

const COLUMNS = ['id', 'at', 'user', 'operation', 'entityType', 'entity', 'what', 'form', 'requestId'] as const;

type ShownRead = Readonly<Record<(typeof COLUMNS)[number], string | number | null>>;

/** A row of the record of reads as its readers see it, with its members in this order. */
const shownRead = ({ id, at, user, operation, record, what, form, requestId }: RecordedRead): ShownRead => ({
  id: Number(id),
  at: at.toISOString(),
  user,
  operation,
  entityType: record?.entityType ?? null,
  entity: record?.entity ?? null,
  what,
  form,
  requestId: requestId ?? null,
});

/** As JSON. */
export const readJson = (read: RecordedRead): string => JSON.stringify(shownRead(read));

export const READS_CSV_HEADER = `${COLUMNS.join(',')}\r\n`;

/** As a line of a table, with its end. */
export const readCsvLine = (read: RecordedRead): string => {
  const shown = shownRead(read);
  return csvLineOf(COLUMNS.map((name) => shown[name]));
};
