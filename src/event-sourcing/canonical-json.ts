export type Json = string | number | boolean | null | ReadonlyArray<Json> | JsonObject;
export type JsonObject = { readonly [key: string]: Json | undefined };

/** Of what comes from JSON: whether it is an object, and no list. */
export const isJsonObject = (json: unknown): json is JsonObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

/** The object that a text is in JSON; undefined where it is none. */
export const objectIn = (text: string): JsonObject | undefined => {
  try {
    const json: unknown = JSON.parse(text);
    return isJsonObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
};

const isArray: (value: Json) => value is ReadonlyArray<Json> = Array.isArray;

// Strings without a character that needs an escape skip JSON.stringify, which takes twice the time to find that out.
const PLAIN = /^[^"\\\u0000-\u001f\ud800-\udfff]*$/; // eslint-disable-line no-control-regex -- those need one

/** Whether the text between quotation marks is its JSON. */
export const needsNoEscape = (text: string): boolean => PLAIN.test(text);

/** A string in the form of RFC 8785. */
export const canonicalString = (text: string): string => (needsNoEscape(text) ? `"${text}"` : JSON.stringify(text));

const canonicalObject = (object: JsonObject): string => {
  let members = '';
  for (const key of Object.keys(object).sort()) {
    const value = object[key];
    if (value !== undefined) members += `${members === '' ? '' : ','}${canonicalString(key)}:${canonicalJson(value)}`;
  }
  return `{${members}}`;
};

/**
 * RFC 8785 (JCS): keys sorted by UTF-16 code units, no white space, ECMAScript's number and string forms.
 * Absent (`undefined`) members are left out. Throws on a number that JSON cannot carry.
 */
export const canonicalJson = (value: Json): string => {
  if (typeof value === 'string') return canonicalString(value);
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError(`JSON has no ${String(value)}`);
  // of a finite number, true, false and null, this is what JSON.stringify gives, too
  if (value === null || typeof value !== 'object') return String(value);
  return isArray(value) ? `[${value.map(canonicalJson).join(',')}]` : canonicalObject(value);
};
