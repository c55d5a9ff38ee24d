import { HASH_BYTES, type Hash } from './hash.js';

/** The bytes of standard base64 (RFC 4648, 4) in its one spelling: padded, without spare bits; of any other text none. */
export const fromBase64 = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
};

/** The same for 32 bytes. */
export const hashFromBase64 = (text: string): Hash | undefined => {
  const bytes = fromBase64(text);
  return bytes?.length === HASH_BYTES ? bytes : undefined;
};
