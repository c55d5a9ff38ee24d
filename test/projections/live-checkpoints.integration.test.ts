import { expect } from 'chai';
import { type Engine, makeEngine } from '../support/engine.js';
import { startingPostgres } from '../support/postgres.js';

describe('what processes read of the live rows', function () {
  this.timeout(startingPostgres);
  let engine: Engine;

  beforeEach(async () => {
    engine = await makeEngine();
  });

  afterEach(() => engine.close());

  it('says who may write them before the first event, as a new installation has none', async () => {
    const projections = engine.serve();
    // the tables themselves are made only then
    const read = () => engine.storage.liveCheckpoints().catch(() => []);
    const held = (rows: Awaited<ReturnType<typeof read>>): boolean =>
      rows.length === projections.all.length && rows.every(({ lease }) => lease === 'Held');
    const rows = await engine.until(read, held);
    expect(rows.map(({ commit }) => commit)).to.deep.equal(projections.all.map(() => -1n));
  });
});
