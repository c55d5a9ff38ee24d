import type { Change, ReadModelStorage } from '../../../projections/engine/storage.js';
import type { Notebook } from '../notebook.js';

/** Of one read model: operators and upgrades make no more than so many switches within so many ms. */
const [MOST, WITHIN_MS] = [6, 3_000];

/** A storage, where it is noticed when rows become the live ones in turns, as those of two versions may that do not know of each other. */
export const watchSwitches = (
  storage: ReadModelStorage,
  now: () => number,
  { breaks }: Pick<Notebook, 'breaks'>,
): ReadModelStorage => {
  const switches = new Map<string, ReadonlyArray<number>>();
  return {
    ...storage,
    change: async (projection, decide, options) => {
      let decided: Change | undefined;
      const changed = await storage.change(projection, (generations) => (decided = decide(generations)), options);
      if (changed === undefined || decided?.makeLive === undefined) return changed;
      const { name } = projection;
      const lately = [...(switches.get(name) ?? []), now()].filter((at) => at > now() - WITHIN_MS);
      switches.set(name, lately);
      if (lately.length > MOST) breaks(`other rows of ${name} became live ${lately.length} times in ${WITHIN_MS} ms`);
      return changed;
    },
  };
};
