import { either as E } from 'fp-ts';
import { beginLives, type Lives } from './begin-lives.js';
import { type Copy, makeCopy } from './copy.js';
import type { Edit, PlantedFault } from './planted-fault.js';

/** How many seeds are lived at most over Postgres, where each takes long. */
const MOST_OVER_POSTGRES = 300;

export type Found =
  | { readonly _tag: 'Found'; readonly seed: number; readonly broken: string }
  | { readonly _tag: 'NotFound'; readonly seeds: number }
  /** The place of the fault has changed. */
  | { readonly _tag: 'NoPlace'; readonly reason: string };

/** Two copies of the program: faults are planted in the one, and the other is without. */
type Finder = {
  /** Lives seeds with the fault until a promise is not kept that is kept in the same seed without it. */
  readonly find: (fault: PlantedFault, from: number, seeds: number) => Promise<Found>;
  readonly remove: () => void;
};

/** Lives seeds in a copy; begins again when a life has ended the process. */
const livesIn = ({ folder }: Copy, server: string | undefined): Omit<Lives, 'isOver'> => {
  let lives: Lives | undefined;
  return {
    live: (life) => {
      if (lives === undefined || lives.isOver()) lives = beginLives(folder, server);
      return lives.live(life);
    },
    end: () => lives?.end(),
  };
};

/** `server`: a Postgres, for faults that are looked for over one. */
export const makeFinder = async (server?: string): Promise<Finder> => {
  const [faulty, sound] = [await makeCopy(), await makeCopy()];

  // it goes on with the next fault, of which most have nothing given
  let without: { readonly given: string; readonly lives: ReturnType<typeof livesIn> } | undefined;
  const soundWith = async (given: ReadonlyArray<Edit>): Promise<E.Either<string, ReturnType<typeof livesIn>>> => {
    if (without?.given === JSON.stringify(given)) return E.right(without.lives);
    without?.lives.end();
    without = undefined;
    const planted = await sound.plant(given);
    if (E.isLeft(planted)) return planted;
    without = { given: JSON.stringify(given), lives: livesIn(sound, server) };
    return E.right(without.lives);
  };

  const find: Finder['find'] = async ({ edits, given = [], store }, from, seeds) => {
    const [planted, made] = [await faulty.plant([...given, ...edits]), await soundWith(given)];
    if (E.isLeft(planted)) return { _tag: 'NoPlace', reason: planted.left };
    if (E.isLeft(made)) return { _tag: 'NoPlace', reason: made.left };
    const withFault = livesIn(faulty, server);
    const most = store === 'postgres' ? Math.min(seeds, MOST_OVER_POSTGRES) : seeds;
    try {
      for (let seed = from; seed < from + most; seed += 1) {
        const life = { seed, ...(store === undefined ? {} : { store }) };
        const [broken] = await withFault.live(life);
        if (broken !== undefined && (await made.right.live(life)).length === 0) return { _tag: 'Found', seed, broken };
      }
      return { _tag: 'NotFound', seeds: most };
    } finally {
      withFault.end();
    }
  };

  return {
    find,
    remove: () => {
      without?.lives.end();
      faulty.remove();
      sound.remove();
    },
  };
};
