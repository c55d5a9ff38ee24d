import type { LedgerEntry } from '../../read/ledger.js';
import { JSON_TYPE } from '../response/http-response.js';
import { CSV_HEADER, csvLine, type ShownEvent } from './csv.js';

/** How events are written into one answer. */
export type Form = {
  readonly contentType: string;
  readonly begin: string;
  /** Between two events. */
  readonly separator: string;
  readonly end: string;
  readonly render: (entry: LedgerEntry) => string;
};

/** The event's own JSON, with its index as the first member. */
export const withIndex = ({ index, body }: LedgerEntry): string => `{"index":${index},${body.slice(1)}`;

export const json: Form = { contentType: JSON_TYPE, begin: '[', separator: ',', end: ']', render: withIndex };

const NDJSON = 'application/x-ndjson';
const CSV = 'text/csv';

/** By the media types that a client may ask for instead. */
export const otherForms: Readonly<Record<string, Form>> = {
  [NDJSON]: { contentType: NDJSON, begin: '', separator: '', end: '', render: (entry) => `${withIndex(entry)}\n` },
  [CSV]: {
    contentType: `${CSV}; charset=utf-8; header=present`,
    begin: CSV_HEADER,
    separator: '',
    end: '',
    // reason: the ledger holds what the history shows of events
    render: (entry) => csvLine(JSON.parse(withIndex(entry)) as ShownEvent),
  },
};
