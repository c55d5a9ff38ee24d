/** Those of the wanted values that differ from the current ones. Absent means: leave as it is. */
export const changesTo = <Fields extends object>(current: Fields, wanted: Partial<Fields>): Partial<Fields> => {
  const isChange = ([key, value]: readonly [string, unknown]): boolean =>
    value !== undefined && value !== (current as Record<string, unknown>)[key]; // reason: read by a key of its own type
  // reason: a subset of `wanted`'s entries is still a Partial of the same fields
  return Object.fromEntries(Object.entries(wanted).filter(isChange)) as Partial<Fields>;
};

export const isEmpty = (changes: object): boolean => Object.keys(changes).length === 0;
