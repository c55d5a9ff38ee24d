import { either as E, json as J } from 'fp-ts';
import * as t from 'io-ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Index behind the string that begins at `start`. */
const endOfString = (text: string, start: number): number => {
  let index = start + 1;
  while (text.charCodeAt(index) !== QUOTE) index += text.charCodeAt(index) === BACKSLASH ? 2 : 1;
  return index + 1;
};

/** Index of the comma or bracket that ends the value at `start`. */
const endOfValue = (text: string, start: number): number => {
  let depth = 0;
  for (let index = start; ;) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = endOfString(text, index);
      continue;
    }
    if (depth === 0 && (code === COMMA || CLOSING.has(code))) return index;
    if (OPENING.has(code)) depth += 1;
    else if (CLOSING.has(code)) depth -= 1;
    index += 1;
  }
};

const isJsonObject = (text: string): boolean => E.exists(t.UnknownRecord.is)(J.parse(text));

/**
 * The members of a JSON object as the texts they are written in: parsing and rendering anew would lose the spelling of
 * numbers and the order of keys. Undefined when the text is no JSON object.
 */
export const memberTexts = (text: string): ReadonlyMap<string, string> | undefined => {
  if (!isJsonObject(text)) return undefined;
  const members = new Map<string, string>();
  for (let index = text.indexOf('{') + 1; ;) {
    const keyAt = text.indexOf('"', index);
    if (keyAt === -1) return members;
    const keyEnd = endOfString(text, keyAt);
    const valueAt = text.indexOf(':', keyEnd) + 1;
    const valueEnd = endOfValue(text, valueAt);
    const key = String(JSON.parse(text.slice(keyAt, keyEnd)));
    members.set(key, text.slice(valueAt, valueEnd).trim());
    if (text.charCodeAt(valueEnd) !== COMMA) return members;
    index = valueEnd + 1;
  }
};
