/** Those of the wanted values that differ from the current ones. Absent means: leave as it is. */
export const changesTo = <Fields extends object>(current: Fields, wanted: Partial<Fields>): Partial<Fields> => {
  const changes: Partial<Fields> = {};
  for (const key in wanted) {
    const value = wanted[key];
    if (value !== undefined && value !== current[key]) changes[key] = value;
  }
  return changes;
};

export const isEmpty = (changes: object): boolean => Object.keys(changes).length === 0;
