import type { Checkpoint } from '../seal/checkpoint.js';
import { type PackHead, wordForData } from './manifest.js';
import { BY_ITS_CLOCK, placeOf, type ReportedRecord, titleOf } from './report-record.js';
import { counted, inWords, row, shown } from './report-text.js';

// The template of report.html. The verifiers make the page again and compare it byte for byte, so each change to it is
// a new form of the pack; docs/audit-pack.md describes it.

const STYLE = `:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h2 { border-bottom: 1px solid; margin-top: 3rem }
article { border-left: 3px solid; padding-left: 1rem; margin: 1.5rem 0; break-inside: avoid }
h3 { margin: 0 }
dl { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: 0 1rem; margin: .25rem 0 }
dt { opacity: .7 }
dd { margin: 0 }
h2, h3, dt, dd, li, q { overflow-wrap: anywhere; unicode-bidi: isolate }
q { border-bottom: 1px dotted }
code { font-family: ui-monospace, monospace; font-size: .875em }`;

const WARNING =
  'This page is as good as its verification. Get verify.py or verify.html from a source that you trust, not out of this ' +
  'pack, and the key of the log from one that you trust: they make this page anew from the sealed events and compare the ' +
  'two. A pack shows what happened up to its last events. It cannot show that nothing came later.';

const CLOCK =
  'A time by this machine&#39;s clock is by the clock of the machine that recorded the event, or made the pack. Nobody else ' +
  'vouches for it.';

/** What all of the page follows from, but for the events. */
type Reported = {
  readonly head: PackHead;
  readonly checkpoint: Checkpoint;
  /** The verifier key, as text. */
  readonly key: string;
  /** In the order of their members. */
  readonly records: ReadonlyArray<ReportedRecord>;
  /** How many members are files. */
  readonly files: number;
};

const item = (record: ReportedRecord): string => {
  const { stream, events, first = '', last = '' } = record;
  const link = `<a href="#${shown(stream)}">${shown(titleOf(record))}</a>`;
  const times = `from ${shown(first)} to ${shown(last)}`;
  return `<li>${link}, ${shown(placeOf(stream))}: ${counted(events, 'event')}, ${times}</li>\n`;
};

/** The page up to its first record. */
export const reportOpening = ({ head, checkpoint, key, records, files }: Reported): string =>
  `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Audit pack of ${shown(head.origin)}</title>
<style>
${STYLE}
</style>
</head>
<body>
<h1>Audit pack</h1>
<dl>
${[
  row('log', shown(head.origin)),
  row('made at', `${shown(head.created)}, ${BY_ITS_CLOCK}`),
  row('records', String(head.records)),
  row('events', String(head.events)),
  row('decisions', String(head.decisions)),
  row('data', wordForData(head)),
  row('files', String(files)),
].join('')}</dl>
<p>${WARNING}</p>
<p>${CLOCK}</p>
<h2>Checkpoint</h2>
<dl>
${[
  row('size', counted(checkpoint.size, 'event')),
  row('root', checkpoint.root.toString('base64')),
  row('time', `not after ${shown(head.created)}, ${BY_ITS_CLOCK}`),
  row('key', shown(key)),
].join('')}</dl>
<h2>Records</h2>
<ul>
${records.map(item).join('')}</ul>
`;

/** What is before the events of a record. */
export const recordOpening = (record: Pick<ReportedRecord, 'stream' | 'name'>): string => {
  const { stream } = record;
  return `<section id="${shown(stream)}">\n<h2>${shown(titleOf(record))}</h2>\n<p>${shown(placeOf(stream))}</p>\n`;
};

export const RECORD_END = '</section>\n';

/** What is behind the last record. */
export const reportEnd = (records: ReadonlyArray<ReportedRecord>): string => {
  const list = records.flatMap((record) =>
    record.files.map(({ revision, file }) => {
      const link = `<a href="#${shown(record.stream)}/${revision}">${shown(titleOf(record))}, revision ${revision}</a>`;
      return `<li>${inWords(file)}: ${link}</li>\n`;
    }),
  );
  const section = `<section id="files">\n<h2>Files</h2>\n<ul>\n${list.join('')}</ul>\n</section>\n`;
  return `${list.length === 0 ? '' : section}</body>\n</html>\n`;
};
