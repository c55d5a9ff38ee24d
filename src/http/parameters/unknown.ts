import { either as E } from 'fp-ts';
import { isJsonObject } from '../../event-sourcing/canonical-json.js';
import { requestInvalid, type RequestInvalid } from '../problem/failure.js';
import type { Fault } from '../problem/problem.js';

/** What a request has that its operation does not, as far as that is refused and not ignored. */
export type UnknownNames = {
  /** Faults of the query. */
  readonly parameters: ReadonlyArray<Fault>;
  /** Faults of a body: the keys that it has and the operation does not. None where those are ignored. */
  readonly keysOf: (body: object) => ReadonlyArray<Fault>;
};

/** So many are each named; a body may have tens of thousands, and the answer is not to be many times as long. */
const NAMED = 100;

/** A name without what conventions of writing differ in: case, `-` and `_`, and the brackets that some clients add to lists. */
const plainOf = (name: string): string =>
  name
    .replace(/\[\d*\]$/, '')
    .replace(/[-_]/g, '')
    .toLowerCase();

/** What is to be said of a name that is written otherwise than a known one. */
const hintOf = (name: string, known: ReadonlyArray<string>): string => {
  const plain = plainOf(name);
  const meant = known.find((each) => plainOf(each) === plain);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
};

/** A fault for each of `names`, which are no `what` of an operation that has `known`. */
export const unknownFaults = (
  names: ReadonlyArray<string>,
  what: 'parameter' | 'field',
  known: ReadonlyArray<string>,
): ReadonlyArray<Fault> => {
  if (names.length === 0) return [];
  const others = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
  const message = `is not a ${what} of this operation; ${others}`;
  const faults = names.slice(0, NAMED).map((path) => ({ path, message: message + hintOf(path, known) }));
  const unnamed = names.length - faults.length;
  return unnamed === 0 ? faults : [...faults, { path: '', message: `has ${unnamed} more such names` }];
};

/** Reads a body. The keys of it that are refused in this request are named with its other faults. */
export const readBody = <Wanted>(
  { unknown }: { readonly unknown?: UnknownNames | undefined },
  read: (body: unknown) => E.Either<RequestInvalid, Wanted>,
  body: unknown,
): E.Either<RequestInvalid, Wanted> => {
  const wanted = read(body);
  const faults = unknown === undefined || !isJsonObject(body) ? [] : unknown.keysOf(body);
  if (faults.length === 0) return wanted;
  return E.left(requestInvalid(...(E.isLeft(wanted) ? wanted.left.errors : []), ...faults));
};
