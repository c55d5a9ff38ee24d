/** What every value takes beside its characters, bytes. */
const OVERHEAD = 16;
/** A text takes one byte for each UTF-16 unit when all are Latin-1, else two. */
const BYTES_PER_UNIT = 2;

/** An upper estimate, in bytes, of the memory that the texts, arrays and objects of plain data take. */
export const estimateBytes = (value: unknown): number => {
  if (typeof value === 'string') return OVERHEAD + BYTES_PER_UNIT * value.length;
  if (typeof value !== 'object' || value === null) return OVERHEAD;
  let size = OVERHEAD;
  // reason: Object.values is typed as any; each value is measured as unknown
  for (const part of Object.values(value) as ReadonlyArray<unknown>) size += estimateBytes(part);
  return size;
};
