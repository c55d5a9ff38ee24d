import { expect } from 'chai';
import { WHOLE_LIFE, simulate } from '../simulate.js';
import { openStores } from './open-stores.js';
import { withPostgres } from './postgres-server.js';

const SEEDS = [1, 2, 3];
const SMALL = { ...WHOLE_LIFE, clients: 3 };

describe('a life over Postgres', function () {
  this.timeout(300_000);

  it('is the same as over memory, to the letter, and so is each answer', () =>
    withPostgres(async (server) => {
      const stores = openStores(server);
      try {
        for (const seed of SEEDS) {
          const inMemory = await simulate(seed, SMALL);
          for (const store of ['both', 'postgres'] as const) {
            const { trace, broken } = await simulate(seed, SMALL, await stores.of(store));
            expect(broken, store).to.deep.equal([]);
            expect(trace, store).to.deep.equal(inMemory.trace);
          }
        }
      } finally {
        await stores.close();
      }
    }));
});
