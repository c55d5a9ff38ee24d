import { hash } from 'node:crypto';
import { either as E } from 'fp-ts';
import { der, type Element, elementsIn } from '../seal/der.js';

// Timestamps of others, https://www.rfc-editor.org/rfc/rfc3161. Who signed one is not for here: `openssl ts -verify` tells.

const [BOOLEAN, INTEGER, OCTETS, NULL, OID, TIME, SEQUENCE, CONTEXT_0] = [1, 2, 4, 5, 6, 0x18, 0x30, 0xa0];

const SHA_256 = Buffer.from('608648016503040201', 'hex');
const SIGNED_DATA = Buffer.from('2a864886f70d010702', 'hex');
const TST_INFO = Buffer.from('2a864886f70d0109100104', 'hex');

/** Statuses of an answer that has a timestamp (granted, grantedWithMods). */
const GRANTED = [0, 1];

const imprintOf = (data: string): Buffer =>
  der(SEQUENCE, der(SEQUENCE, der(OID, SHA_256), der(NULL)), der(OCTETS, hash('sha256', data, 'buffer')));

const nonceOf = (nonce: Uint8Array): Buffer => der(INTEGER, Buffer.of(0x01), nonce);

/** Asks for a timestamp of the SHA-256 of data, with the certificate of who gives it. `nonce`: random bytes. */
export const timestampRequest = (data: string, nonce: Uint8Array): Buffer =>
  der(SEQUENCE, der(INTEGER, Buffer.of(1)), imprintOf(data), nonceOf(nonce), der(BOOLEAN, Buffer.of(0xff)));

const within = (element: Element | undefined, tag: number): ReadonlyArray<Element> =>
  element?.tag === tag ? (elementsIn(element.content) ?? []) : [];

const isOf = (element: Element | undefined, tag: number, content: Buffer): boolean =>
  element?.tag === tag && element.content.equals(content);

/** The members of the `TSTInfo` of a token (RFC 3161, 2.4.2; RFC 5652, 5); none where it is no such token. */
const statedIn = (token: Element | undefined): ReadonlyArray<Element> => {
  const [kind, explicit] = within(token, SEQUENCE);
  if (!isOf(kind, OID, SIGNED_DATA)) return [];
  const [, , encapsulated] = within(within(explicit, CONTEXT_0)[0], SEQUENCE);
  const [contentKind, wrapped] = within(encapsulated, SEQUENCE);
  if (!isOf(contentKind, OID, TST_INFO)) return [];
  const [octets] = within(wrapped, CONTEXT_0);
  const [info] = octets?.tag === OCTETS ? (elementsIn(octets.content) ?? []) : [];
  return within(info, SEQUENCE);
};

/**
 * The time that an answer gives, `20261126020000Z`, where it grants a timestamp of this data, and of this very request where its
 * `nonce` is still known. Left: why it is none.
 */
export const timeInAnswer = (answer: Buffer, data: string, nonce?: Uint8Array): E.Either<string, string> => {
  const [whole] = elementsIn(answer) ?? [];
  const [info, token] = within(whole, SEQUENCE);
  const [status] = within(info, SEQUENCE);
  if (status?.tag !== INTEGER) return E.left('the answer is none to a request for a timestamp');
  const code = status.content.length === 1 ? (status.content[0] ?? -1) : -1;
  if (!GRANTED.includes(code)) return E.left(`no timestamp was granted: the status is ${code}`);
  const stated = statedIn(token);
  const time = stated.find(({ tag }) => tag === TIME);
  if (time === undefined) return E.left('the answer has no timestamp');
  const [, , imprint] = stated;
  const [expected] = elementsIn(imprintOf(data)) ?? [];
  // the parameters of the algorithm may be absent
  const [algorithm, digest] = within(imprint, SEQUENCE);
  const isOurs =
    isOf(within(algorithm, SEQUENCE)[0], OID, SHA_256) &&
    isOf(digest, OCTETS, within(expected, SEQUENCE)[1]?.content ?? Buffer.alloc(0));
  if (!isOurs) return E.left('the timestamp is of something else');
  const timeStated = time.content.toString('latin1');
  if (nonce === undefined) return E.right(timeStated);
  const [ours] = elementsIn(nonceOf(nonce)) ?? [];
  const isFresh = stated
    .slice(stated.indexOf(time))
    .some((one) => isOf(one, INTEGER, ours?.content ?? Buffer.alloc(0)));
  return isFresh ? E.right(timeStated) : E.left('the timestamp is of another request');
};
