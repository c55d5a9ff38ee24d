export type Json = string | number | boolean | null | ReadonlyArray<Json> | JsonObject;
export type JsonObject = { readonly [key: string]: Json | undefined };

const member = (object: JsonObject, key: string): string => {
  const value = object[key];
  return value === undefined ? '' : `${JSON.stringify(key)}:${canonicalJson(value)}`;
};

const isArray: (value: Json) => value is ReadonlyArray<Json> = Array.isArray;

/**
 * RFC 8785 (JCS): keys sorted by UTF-16 code units, no white space, ECMAScript's number and string forms.
 * Absent (`undefined`) members are left out. Throws on a number that JSON cannot carry.
 */
export const canonicalJson = (value: Json): string => {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError(`JSON has no ${String(value)}`);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  return `{${Object.keys(value)
    .sort()
    .map((key) => member(value, key))
    .filter((text) => text !== '')
    .join(',')}}`;
};
