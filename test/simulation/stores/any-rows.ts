import type { ReadModelStorage, StoredRows } from '../../../projections/engine/storage.js';

const EVERY = 1_000_000;

/**
 * Where any row would do, Postgres gives one by chance, or as they lie in their files. Here it is asked all the same, and then
 * the row is chosen by the order of the ids: as memory does, and again in each life of a seed.
 */
export const choosingRows = (storage: ReadModelStorage): ReadModelStorage => ({
  ...storage,
  storedRows: (projection, generation): StoredRows => {
    const rows = storage.storedRows(projection, generation);
    const choose = async (
      given: ReadonlyArray<string>,
      by: (ids: ReadonlyArray<string>) => ReadonlyArray<string>,
    ): Promise<ReadonlyArray<string>> => {
      const ids = await rows.idsAfter(undefined, EVERY);
      const strange = given.filter((id) => !ids.includes(id));
      if (strange.length > 0) throw new Error(`Postgres has drawn what is no row: ${strange.join()}`);
      return by(ids);
    };
    return {
      ...rows,
      sample: async (size) => choose(await rows.sample(size), (ids) => ids.slice(0, size)),
      idBehind: async (share) => {
        const behind = await rows.idBehind(share);
        const [id] = await choose(behind === undefined ? [] : [behind], (ids) =>
          ids.slice(Math.floor(share * ids.length)),
        );
        return id;
      },
    };
  },
});
