import { either as E } from 'fp-ts';
import { beginLives, type Lives } from './begin-lives.js';
import { type Copy, makeCopy } from './copy.js';
import type { PlantedFault } from './planted-fault.js';

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

  const find: Finder['find'] = async ({ edits, given = [], store }, from, seeds) => {
    for (const planted of [await faulty.plant([...given, ...edits]), await sound.plant(given)])
      if (E.isLeft(planted)) return { _tag: 'NoPlace', reason: planted.left };
    const [withFault, without] = [livesIn(faulty, server), livesIn(sound, server)];
    const most = store === 'postgres' ? Math.min(seeds, MOST_OVER_POSTGRES) : seeds;
    try {
      for (let seed = from; seed < from + most; seed += 1) {
        const life = { seed, ...(store === undefined ? {} : { store }) };
        const [broken] = await withFault.live(life);
        if (broken !== undefined && (await without.live(life)).length === 0) return { _tag: 'Found', seed, broken };
      }
      return { _tag: 'NotFound', seeds: most };
    } finally {
      withFault.end();
      without.end();
    }
  };

  return {
    find,
    remove: () => {
      faulty.remove();
      sound.remove();
    },
  };
};
