import { canonicalJson, type Json } from '../event-sourcing/canonical-json.js';
import { partReason } from '../event-sourcing/reason.js';
import { type PackHead, wordForData } from './manifest.js';
import type { PackedEvent } from './packed-event.js';

// The template of report.html. The verifiers make the page again and compare it byte for byte, so each change to it is
// a new format of the pack; docs/audit-pack.md describes it.

/** A record of the pack, and how many events it has. */
type ReportedRecord = { readonly stream: string; readonly events: number };

/** A file of the pack. */
type ReportedFile = { readonly sha256: string; readonly bytes: number };

// C0 and C1 controls, marks that change the order in which text is shown, line separators, BOM, halves of a pair
const UNSEEN =
  // eslint-disable-next-line no-control-regex -- they are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\p{Surrogate}/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text in the page: what cannot be seen, or would change how others are seen, as `\u` and four digits of hex. */
export const shown = (text: string): string =>
  text
    .replace(UNSEEN, (unseen) => `\\u${unseen.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

const STYLE = `:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h2 { border-bottom: 1px solid; margin-top: 3rem }
article { border-left: 3px solid; padding-left: 1rem; margin: 1.5rem 0; break-inside: avoid }
h3 { margin: 0 }
dl { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: 0 1rem; margin: .25rem 0 }
dt { opacity: .7 }
dd { margin: 0 }
dt, dd, li { overflow-wrap: anywhere; unicode-bidi: isolate }
dl.data, code { font-family: ui-monospace, monospace; font-size: .875em }`;

const WARNING =
  'This page is as good as its verification. Get verify.py or verify.html from a source that you trust, not out of this ' +
  'pack, and the key of the log from one that you trust: they make this page anew from the sealed events and compare the ' +
  'two. A pack shows what happened up to its last events. It cannot show that nothing came later.';

const row = (name: string, value: string | number): string =>
  `<dt>${shown(name)}</dt><dd>${shown(String(value))}</dd>\n`;

const rows = (entries: ReadonlyArray<readonly [name: string, value: string | number]>): string =>
  entries.map(([name, value]) => row(name, value)).join('');

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** The page up to its first record. The records are in the order of their members. */
export const reportOpening = (head: PackHead, records: ReadonlyArray<ReportedRecord>, files: number): string =>
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
${rows([
  ['log', head.origin],
  ['made at', head.created],
  ['records', head.records],
  ['events', head.events],
  ['data', wordForData(head)],
  ['files', files],
])}</dl>
<p>${WARNING}</p>
<h2>Records</h2>
<ul>
${records
  .map(
    ({ stream, events }) => `<li><a href="#${shown(stream)}">${shown(stream)}</a>, ${counted(events, 'event')}</li>\n`,
  )
  .join('')}</ul>
`;

/** What is before the events of a record. */
export const recordOpening = ({ stream }: Pick<ReportedRecord, 'stream'>): string =>
  `<section id="${shown(stream)}">\n<h2>${shown(stream)}</h2>\n`;

export const RECORD_END = '</section>\n';

const textOf = (json: Json | undefined): string => (typeof json === 'string' ? json : canonicalJson(json ?? null));

const dataRows = (data: Json): string => {
  if (data === null || typeof data !== 'object' || Array.isArray(data)) return row('data', canonicalJson(data));
  const members = Object.entries(data).sort(([one], [other]) => Number(one > other) - Number(one < other));
  return rows(members.map(([name, value]) => [name, canonicalJson(value ?? null)]));
};

/** An event: what of it is read by people. Data without its salt has been withheld, as nothing vouches for it. */
export const reportEvent = ({ index, revision, type, data: stored, metadata }: PackedEvent): string => {
  const { data, reason } = partReason(stored ?? null);
  const told: ReadonlyArray<readonly [string, string]> = [
    ['at', textOf(metadata['at'])],
    ['actor', textOf(metadata['actor'])],
    ['place in the log', String(index)],
    ...(reason === undefined ? [] : ([['reason', textOf(reason)]] as const)),
  ];
  const isWithheld = stored === undefined || metadata['salt'] === undefined;
  const shownData = isWithheld ? '<p>Its data is withheld.</p>\n' : `<dl class="data">\n${dataRows(data)}</dl>\n`;
  return `<article>\n<h3>${revision}. ${shown(type)}</h3>\n<dl>\n${rows(told)}</dl>\n${shownData}</article>\n`;
};

/** What is behind the last record. The files are in the order of their members. */
export const reportEnd = (files: ReadonlyArray<ReportedFile>): string => {
  const list = files
    .map(({ sha256, bytes }) => `<li><code>${sha256}</code>, ${counted(bytes, 'byte')}</li>\n`)
    .join('');
  const section = `<section id="files">\n<h2>Files, by their SHA-256</h2>\n<ul>\n${list}</ul>\n</section>\n`;
  return `${files.length === 0 ? '' : section}</body>\n</html>\n`;
};
