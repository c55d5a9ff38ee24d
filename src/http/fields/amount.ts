import { field } from './field.js';

// `value + 0` makes 0 of -0: they are the same amount, but not the same text in every store.
const readFinite = (value: unknown): number | null | undefined => {
  if (value === null) return null;
  return typeof value === 'number' && Number.isFinite(value) ? value + 0 : undefined;
};

/** A finite double, or null for unset. */
export const Amount = field<number | null>({
  expectation: 'a finite number, or null',
  schema: { type: ['number', 'null'] },
  read: readFinite,
});

/** An ownership share; its unit and sum are the client's. */
export const Share = field<number | null>({
  expectation: 'a finite number of at least 0, or null',
  schema: { type: ['number', 'null'], minimum: 0 },
  read: (value) => {
    const amount = readFinite(value);
    return amount === undefined || amount === null || amount >= 0 ? amount : undefined;
  },
});
