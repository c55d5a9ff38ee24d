import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../event-sourcing/canonical-json.js';

/** A value that became another one; null stands for none. */
export type Change = {
  /** Where it is in the record, as a JSON Pointer (RFC 6901). */
  readonly path: string;
  readonly before: Json;
  readonly after: Json;
};

/** Lists of a record whose elements are objects: which member of an element tells it from the others. */
export type IdentifiedBy = Readonly<Record<string, string>>;

type Value = Json | undefined;

const isList = (value: Value): value is ReadonlyArray<Json> => Array.isArray(value);

/** In the records of entities, an empty list and null both mean that nothing was given. */
const isNothing = (value: Value): boolean =>
  value === undefined || value === null || (isList(value) && value.length === 0);

const within = (path: string, key: string): string => `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;

const identityOf = (element: Json, member: string): string => {
  const identity = isJsonObject(element) ? element[member] : element;
  return typeof identity === 'string' ? identity : JSON.stringify(identity ?? null);
};

const byIdentity = (list: ReadonlyArray<Json>, member: string): Map<string, Json> =>
  new Map(list.map((element) => [identityOf(element, member), element]));

/** Two lists without the elements at their beginnings and ends that are one object in both. */
const differingParts = (
  before: ReadonlyArray<Json>,
  after: ReadonlyArray<Json>,
): readonly [ReadonlyArray<Json>, ReadonlyArray<Json>] => {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return [before.slice(start, before.length - end), after.slice(start, after.length - end)];
};

/**
 * What became of a record: each member that changed, in an object the members of it. A list is one value, unless its
 * elements are identified: then it is compared as an object whose keys are their identities. Undefined is a record that is
 * not there. Values that are the same object are not looked into.
 */
export const diff = (
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  identifiedBy: IdentifiedBy,
): ReadonlyArray<Change> => {
  const changes: Array<Change> = [];

  const compareElements = (path: string, member: string, old: ReadonlyArray<Json>, now: ReadonlyArray<Json>): void => {
    const [left, right] = differingParts(old, now);
    const gone = byIdentity(left, member);
    for (const [identity, element] of byIdentity(right, member)) {
      compare(within(path, identity), gone.get(identity), element, undefined);
      gone.delete(identity);
    }
    for (const [identity, element] of gone) compare(within(path, identity), element, undefined, undefined);
  };

  const compareMembers = (path: string, old: JsonObject, now: JsonObject): void => {
    for (const key of new Set([...Object.keys(now), ...Object.keys(old)]))
      compare(within(path, key), old[key], now[key], identifiedBy[key]);
  };

  const compare = (path: string, old: Value, now: Value, member: string | undefined): void => {
    if (old === now || (isNothing(old) && isNothing(now))) return;
    const [oldList, nowList] = [old ?? [], now ?? []];
    if (member !== undefined && isList(oldList) && isList(nowList)) compareElements(path, member, oldList, nowList);
    else if (isJsonObject(old) && isJsonObject(now)) compareMembers(path, old, now);
    else if (!isDeepStrictEqual(old, now)) changes.push({ path, before: old ?? null, after: now ?? null });
  };

  compareMembers('', before ?? {}, after ?? {});
  return changes;
};
