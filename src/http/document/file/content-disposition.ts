import { isUtf8 } from 'node:buffer';
import { either as E } from 'fp-ts';
import { readExtendedValue } from '../../request/extended-value.js';
import { parametersOf } from '../../request/media-type.js';

const encodeReserved = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** RFC 8187 §3.2.1: what is no attr-char is percent-encoded; `encodeURIComponent` leaves four of those as they are. */
const extendedValue = (text: string): string => `UTF-8''${encodeURIComponent(text).replace(/['()*]/g, encodeReserved)}`;

// In a quoted string some readers take `%` and `\` for escapes (RFC 6266, appendix D).
const plainValue = (text: string): string => text.replace(/[^\x20-\x7e]|["\\%]/gu, '_');

/** RFC 6266: save the body under `fileName`, never show it in place; readers that know `filename*` prefer it. */
export const attachment = (fileName: string): string =>
  `attachment; filename="${plainValue(fileName)}"; filename*=${extendedValue(fileName)}`;

/** A type, whatever it is: an unknown one means the same as `attachment` (RFC 6266 §4.2). */
const DISPOSITION = /^[ \t]*[\w!#$%&'*+.^`|~-]+[ \t]*(?=;|$)/;

/**
 * The file name that a `Content-Disposition` has (RFC 6266), as a client sends it: bytes of UTF-8, each as a character.
 * `filename*` (RFC 8187) wins over `filename`. Undefined where it has none; left where it cannot be read.
 */
export const fileNameIn = (header: string): E.Either<'Unreadable', string | undefined> => {
  const unreadable = E.left('Unreadable' as const);
  const bytes = Buffer.from(header, 'latin1');
  if (!isUtf8(bytes)) return unreadable;
  const text = bytes.toString();
  const type = DISPOSITION.exec(text)?.[0];
  const parameters = type === undefined ? undefined : parametersOf(text.slice(type.length));
  if (parameters === undefined) return unreadable;
  const values = new Map(parameters);
  if (values.size < parameters.length) return unreadable;
  const extended = values.get('filename*');
  if (extended === undefined) return E.right(values.get('filename'));
  const read = readExtendedValue(extended);
  return read === undefined ? unreadable : E.right(read.text);
};
