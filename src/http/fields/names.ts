import type * as t from 'io-ts';
import { field } from './field.js';

/**
 * A list of different names, at least one, each a key of `meant`, which says what it stands for. What two names of the list
 * stand for is given once.
 */
export const names = <Meant extends string>(
  meant: Readonly<Record<string, Meant>>,
): t.Type<ReadonlyArray<Meant>, ReadonlyArray<Meant>> => {
  const known = Object.keys(meant);
  const meaningOf = (name: unknown): Meant | undefined =>
    typeof name === 'string' && Object.hasOwn(meant, name) ? meant[name] : undefined;
  return field<ReadonlyArray<Meant>>({
    expectation: `a list of different names, at least one, of ${known.join(', ')}`,
    schema: { type: 'array', minItems: 1, uniqueItems: true, items: { type: 'string', enum: known } },
    read: (value) => {
      if (!Array.isArray(value) || value.length === 0 || value.length > known.length) return undefined;
      const given = new Set<unknown>(value);
      const found = new Set([...given].map(meaningOf));
      return given.size < value.length || found.has(undefined)
        ? undefined
        : [...found].filter((one) => one !== undefined);
    },
  });
};
