import { isJsonObject } from '../event-sourcing/canonical-json.js';
import { partReason } from '../event-sourcing/reason.js';
import { membersOf } from './event-words.js';
import type { PackedEvent } from './packed-event.js';
import { BY_ITS_CLOCK, type ReportedRecord, titleOf } from './report-record.js';
import { inWords, row, shown, textOf } from './report-text.js';

/**
 * The record that a decision of operators concerns. Undefined where it concerns none, and where its data, or the salt that
 * vouches for it, is not there: then nobody can tell.
 */
export const concernedBy = ({ type, data, metadata }: PackedEvent): string | undefined => {
  if (type !== 'ProjectionEventSkipped' || metadata['salt'] === undefined || !isJsonObject(data)) return undefined;
  const { stream } = data;
  return typeof stream === 'string' ? stream : undefined;
};

/** Where a decision is in the pack: `operations-…/0`. */
export const decisionPlace = ({ stream, revision }: Pick<PackedEvent, 'stream' | 'revision'>): string =>
  `${stream}/${revision}`;

const article = (decision: PackedEvent, titles: ReadonlyMap<string, string>): string => {
  const { type, index, metadata } = decision;
  const stream = concernedBy(decision) ?? '';
  const title = shown(titles.get(stream) ?? '');
  const { data } = partReason(decision.data ?? null);
  const { reason } = isJsonObject(data) ? data : {};
  const told = [
    row('who', shown(textOf(metadata['actor']))),
    row('when', `${shown(textOf(metadata['at']))}, ${BY_ITS_CLOCK}`),
    reason === undefined ? '' : row('why', shown(textOf(reason))),
    row('type', shown(type)),
    row('record', `<a href="#${shown(stream)}">${title}</a>`),
    row('place in the log', String(index)),
  ].join('');
  const members = membersOf(type, data).filter(({ label }) => label !== 'reason');
  const rows = members.map(({ label, value }) => row(label, inWords(value))).join('');
  const opening = `<article id="${shown(decisionPlace(decision))}">\n<h3>event of ${title} skipped</h3>`;
  return `${opening}\n<dl>\n${told}</dl>\n<dl class="data">\n${rows}</dl>\n</article>\n`;
};

/** What the page says of decisions, which are in the order of their members; nothing where there are none. */
export const reportDecisions = (
  decisions: ReadonlyArray<PackedEvent>,
  records: ReadonlyArray<ReportedRecord>,
): string => {
  const titles = new Map<string, string>(records.map((record) => [record.stream, titleOf(record)]));
  const articles = decisions.map((decision) => article(decision, titles)).join('');
  return articles === '' ? '' : `<section id="decisions">\n<h2>Decisions of operators</h2>\n${articles}</section>\n`;
};
