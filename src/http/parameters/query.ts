import { isUtf8 } from 'node:buffer';
import type { Fault } from '../problem/problem.js';

/** The parameters of a request by name, each decoded once: the value, or all values where a name is repeated. */
export type QueryValues = Readonly<Record<string, string | ReadonlyArray<string>>>;

/** What a request asks for behind its path. */
export type Query = {
  readonly values: QueryValues;
  /** Why it cannot be read, whatever the operation is. */
  readonly faults: ReadonlyArray<Fault>;
};

/** No operation has half as many. */
const MOST_NAMES = 100;

/** Parameters that are named for bytes that are no UTF-8. */
const MOST_FAULTS = 50;

export const NOT_UTF8 = 'must be percent-encoded UTF-8';

/** The bytes that a text of ASCII stands for, as the target of a request is one; what is no escape is itself. */
const bytesOf = (text: string): Buffer =>
  Buffer.from(
    text.replace(/%[\da-f]{2}/gi, (escape) => String.fromCharCode(Number.parseInt(escape.slice(1), 16))),
    'latin1',
  );

/** Whether the bytes that a text stands for are UTF-8; U+FFFD is a character like any other. */
export const isUtf8Encoded = (text: string): boolean => !text.includes('%') || isUtf8(bytesOf(text));

const decode = (raw: string): string => {
  const spaced = raw.includes('+') ? raw.replaceAll('+', ' ') : raw;
  return spaced.includes('%') ? bytesOf(spaced).toString() : spaced;
};

/** A name and its value as they are written. */
const divide = (piece: string): readonly [string, string] => {
  const at = piece.indexOf('=');
  return at === -1 ? [piece, ''] : [piece.slice(0, at), piece.slice(at + 1)];
};

const faultsOf = (names: number, badlyEncoded: ReadonlySet<string>): ReadonlyArray<Fault> => [
  ...(names > MOST_NAMES ? [{ path: '', message: `must have at most ${MOST_NAMES} different parameters` }] : []),
  ...[...badlyEncoded].slice(0, MOST_FAULTS).map((path) => ({ path, message: NOT_UTF8 })),
];

export const NO_QUERY: Query = { values: {}, faults: [] };

/** Reads a query (without its `?`) in one pass, so that the work grows with its length and no faster. */
export const readQuery = (text: string): Query => {
  const given = new Map<string, Array<string>>();
  const badlyEncoded = new Set<string>();
  for (const piece of text.split('&')) {
    if (piece === '') continue;
    const [rawName, rawValue] = divide(piece);
    const name = decode(rawName);
    if (!isUtf8Encoded(rawName)) badlyEncoded.add('');
    else if (!isUtf8Encoded(rawValue)) badlyEncoded.add(name);
    const values = given.get(name);
    if (values === undefined) given.set(name, [decode(rawValue)]);
    else values.push(decode(rawValue));
  }
  const entries = [...given].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values] as const);
  return { values: Object.fromEntries(entries), faults: faultsOf(given.size, badlyEncoded) };
};

/** All values that a name is given with. */
export const valuesOf = (values: QueryValues, name: string): ReadonlyArray<string> =>
  [Object.hasOwn(values, name) ? (values[name] ?? []) : []].flat();
