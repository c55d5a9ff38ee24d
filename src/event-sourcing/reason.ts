import type { ByteString } from './byte-string.js';
import { isJsonObject, type Json, type JsonObject } from './canonical-json.js';
import { JSON_TEXT } from './outline.js';

/**
 * The member of stored data that says why the command of the event was given. As a part of the data it is under its salt,
 * and is withheld with it. No member of a domain event begins with `$`, so it is the first one of canonical JSON.
 */
const REASON = '$reason';

/** Data as it is stored: with the reason of its command, where there is one. */
export const withReason = (data: JsonObject, reason: string | undefined): JsonObject =>
  reason === undefined ? data : { ...data, [REASON]: reason };

/** The data of an event, and what was stored as its reason: undefined where there is none, and no text in a foreign log. */
export const partReason = (stored: Json): { readonly data: Json; readonly reason: Json | undefined } => {
  if (!isJsonObject(stored) || !Object.hasOwn(stored, REASON)) return { data: stored, reason: undefined };
  const { [REASON]: reason, ...data } = stored;
  return { data, reason };
};

const OPENING = `{"${REASON}":`;
/** What stands behind the text is a further member, or the end of the object. */
const BEHIND = new RegExp(String.raw`(${JSON_TEXT})(?:,(?!\})|(?=\}))`, 'y');

/** The same for the bytes of canonical JSON, of which nothing is parsed: the reason is JSON as well. */
type PartedBytes = { readonly data: ByteString; readonly reason: string | undefined };

/**
 * Undefined for a reason that is no text. Whatever else it gives, the rest is JSON only if the whole is: nothing but the
 * reason has been looked at.
 */
export const partReasonOfBytes = (stored: ByteString): PartedBytes | undefined => {
  if (!stored.startsWith(OPENING)) return { data: stored, reason: undefined };
  BEHIND.lastIndex = OPENING.length;
  const reason = BEHIND.exec(stored)?.[1];
  if (reason === undefined) return undefined;
  // reason: cut out of bytes, with a character in ASCII before it
  return { data: `{${stored.slice(BEHIND.lastIndex)}` as ByteString, reason };
};
