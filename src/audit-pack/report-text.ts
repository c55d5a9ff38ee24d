import { canonicalJson, isJsonObject, type Json } from '../event-sourcing/canonical-json.js';

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

/** `1 event`, `2 events`. */
export const counted = (count: number, what: string): string =>
  `${canonicalJson(count)} ${what}${count === 1 ? '' : 's'}`;

/** A row of a list of names and values; the value is HTML. */
export const row = (name: string, html: string): string => `<dt>${shown(name)}</dt><dd>${html}</dd>\n`;

/** A text as it is, anything else as JSON. */
export const textOf = (json: Json | undefined): string =>
  typeof json === 'string' ? json : canonicalJson(json ?? null);

const isText = (json: Json | undefined): json is string => typeof json === 'string';
const isList = (json: Json): json is ReadonlyArray<Json> => Array.isArray(json);

/** A text of somebody is set apart, so that nobody takes what it says for words of the page. */
const quoted = (text: string): string => `<q>${shown(text)}</q>`;

export const NOTHING = '<em>nothing</em>';

/** A file that data names, as a person speaks of it; undefined for what is none. */
const fileInWords = (json: Json): string | undefined => {
  if (!isJsonObject(json)) return undefined;
  const { originalName, size, sha256 } = json;
  if (!isText(originalName) || typeof size !== 'number' || !isText(sha256)) return undefined;
  return `${quoted(originalName)}, ${counted(size, 'byte')}, SHA-256 <code>${shown(sha256)}</code>`;
};

/** A value of an event in the page, as HTML. */
export const inWords = (json: Json): string => {
  if (isText(json)) return quoted(json);
  if (json === null || (isList(json) && json.length === 0)) return NOTHING;
  if (typeof json !== 'object') return canonicalJson(json);
  if (isList(json) && json.every(isText)) return json.map(quoted).join(', ');
  return fileInWords(json) ?? `<code>${shown(canonicalJson(json))}</code>`;
};
