import { isJsonObject, type Json } from '../event-sourcing/canonical-json.js';
import { partReason } from '../event-sourcing/reason.js';
import { categoryOf, entityIdOf, type StreamName } from '../event-sourcing/recorded-event.js';
import { eventInWords, membersOf } from './event-words.js';
import type { PackedEvent } from './packed-event.js';
import { inWords, NOTHING, row, shown, textOf } from './report-text.js';

/** A file that an event names, by the name that somebody gave it. */
type ReportedFile = { readonly revision: string; readonly file: Json };

/** What the page says of a record outside of its events. */
export type ReportedRecord = {
  readonly stream: StreamName;
  readonly events: number;
  /** The name that it had last; undefined where no data of it is there. */
  readonly name?: string;
  /** When its first and its last event were, as its events say. */
  readonly first?: string;
  readonly last?: string;
  readonly files: ReadonlyArray<ReportedFile>;
};

export const unreported = (stream: StreamName): ReportedRecord => ({ stream, events: 0, files: [] });

/** Data that nothing vouches for, without its salt, is taken for withheld. */
const dataOf = ({ data, metadata }: PackedEvent): Json | undefined =>
  data === undefined || metadata['salt'] === undefined ? undefined : partReason(data).data;

const nameIn = (data: Json | undefined): string | undefined => {
  if (!isJsonObject(data)) return undefined;
  const { name } = isJsonObject(data['changes']) ? data['changes'] : data;
  return typeof name === 'string' ? name : undefined;
};

/** The same with one event more. */
export const withEvent = (record: ReportedRecord, event: PackedEvent): ReportedRecord => {
  const data = dataOf(event);
  const at = textOf(event.metadata['at']);
  const name = nameIn(data) ?? record.name;
  const file = isJsonObject(data) && isJsonObject(data['file']) ? data['file'] : undefined;
  return {
    stream: record.stream,
    events: record.events + 1,
    ...(name === undefined ? {} : { name }),
    first: record.first ?? at,
    last: at,
    files: file === undefined ? record.files : [...record.files, { revision: event.revision, file }],
  };
};

/** `business 01a2…`. */
export const placeOf = (stream: StreamName): string => `${categoryOf(stream)} ${entityIdOf(stream)}`;

/** How the page calls a record. */
export const titleOf = ({ stream, name }: Pick<ReportedRecord, 'stream' | 'name'>): string => name ?? placeOf(stream);

/** By whose clock a time is; the page says which machine that is. */
export const BY_ITS_CLOCK = 'by this machine&#39;s clock';

/** Tells of the events of a record one after the other, and knows what each value was before. */
export class RecordReport {
  #known = new Map<string, Json>();
  /** Whether an event was there that may have changed anything. */
  #isUnknown = false;

  tell(event: PackedEvent): string {
    const { stream, revision, index, type, metadata } = event;
    const { reason } = partReason(event.data ?? null);
    const data = dataOf(event);
    const told = [
      row('who', shown(textOf(metadata['actor']))),
      row('when', `${shown(textOf(metadata['at']))}, ${BY_ITS_CLOCK}`),
      reason === undefined ? '' : row('why', shown(textOf(reason))),
      row('type', shown(type)),
      row('place in the log', String(index)),
    ].join('');
    const title = `${revision}. ${shown(eventInWords(type, data))}`;
    return `<article id="${shown(stream)}/${revision}">\n<h3>${title}</h3>\n<dl>\n${told}</dl>\n${this.#changes(type, data)}</article>\n`;
  }

  #changes(type: string, data: Json | undefined): string {
    if (data === undefined) {
      this.#known.clear();
      this.#isUnknown = true;
      return '<p>Its data is withheld.</p>\n';
    }
    const rows = membersOf(type, data).map(({ label, value, isChange }) => {
      const before = isChange ? `${this.#before(label)} → ` : '';
      this.#known.set(label, value);
      return row(label, `${before}${inWords(value)}`);
    });
    return `<dl class="data">\n${rows.join('')}</dl>\n`;
  }

  #before(label: string): string {
    const known = this.#known.get(label);
    if (known !== undefined) return inWords(known);
    return this.#isUnknown ? '<em>not known</em>' : NOTHING;
  }
}
