/** What every value takes beside its characters, bytes. */
const OVERHEAD = 16;

/** About how much memory a value of plain data takes, bytes: of strings, arrays and objects, none of them twice. */
export const roughSize = (value: unknown): number => {
  if (typeof value === 'string') return OVERHEAD + value.length;
  if (typeof value !== 'object' || value === null) return OVERHEAD;
  let size = OVERHEAD;
  // reason: the values of an object are what there is to measure, whatever it is
  for (const part of Object.values(value) as ReadonlyArray<unknown>) size += roughSize(part);
  return size;
};
