/** What no output may have in it. It stands at both ends of each planted secret, so that a part of one is noticed, too. */
export const MARK = 'pl4nted';

/** A secret with what has a meaning in a URL, in a header and in JSON; the characters of a bearer token alone where `isPlain`. */
export const plant = (name: string, isPlain = false): string =>
  isPlain ? `${MARK}-${name}-0123456789-0123456789-${MARK}` : `${MARK}/${name}:1%2@3 "4"&5#6?7=8+9-0123456789-${MARK}`;

const BASE64 = /[\w+/-]{8,}={0,2}/g;

/** Whether a text has a planted secret, or a part of one, in it: as it is, percent-encoded, or in Base64, as of `user:password`. */
export const hasPlanted = (text: string): boolean =>
  text.includes(MARK) ||
  (text.match(BASE64) ?? []).some((found) => Buffer.from(found, 'base64').toString('latin1').includes(MARK));
