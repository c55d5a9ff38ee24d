import type { Random } from '../../src/event-sourcing/random.js';

/** Whoever has a chance of its own. */
type Drawing = { readonly random: Pick<Random, 'fraction'> };

/** Draws a whole number below `many`. */
export const below = ({ random }: Drawing, many: number): number => Math.floor(random.fraction() * many);

/** Draws one of them. */
export const oneOf = <A>(drawing: Drawing, all: ReadonlyArray<A>): A | undefined => all[below(drawing, all.length)];

export const isLucky = ({ random }: Drawing, chance: number): boolean => random.fraction() < chance;
