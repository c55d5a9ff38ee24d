import { readFileSync } from 'node:fs';

/** A line of the list is a seed and why it is kept; of the others, an empty one and a comment say nothing. */
const LINE = /^(?<seed>\d+) +(?<why>\S.*)$/u;

/** The seeds in a list of those that once broke a promise. */
export const seedsIn = (list: string): ReadonlyArray<number> =>
  list.split('\n').flatMap((line, index) => {
    if (line === '' || line.startsWith('#')) return [];
    const seed = LINE.exec(line)?.groups?.['seed'];
    if (seed === undefined) throw new Error(`line ${index + 1} is no seed with a reason: ${line}`);
    return [Number(seed)];
  });

/** The seeds that once broke a promise: `kept-seeds.txt` has them, and why. */
export const keptSeeds = (): ReadonlyArray<number> =>
  seedsIn(readFileSync(new URL('kept-seeds.txt', import.meta.url), 'utf8'));
