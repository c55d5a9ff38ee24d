import { expect } from 'chai';
import { ledgerOf, registry } from '../../../src/entities/registry.js';
import { makeLedgerPlaces } from '../../../src/infrastructure/postgres/read-models/ledger-places.js';
import { appendChained, businessStream, interleaved, makeChains } from '../../support/chained-events.js';
import { type Engine, makeEngine, orThrow } from '../../support/engine.js';
import { startingPostgres } from '../../support/postgres.js';
import { untilShown } from '../../support/until-shown.js';

describe('the places of events in the ledger', function () {
  this.timeout(startingPostgres);
  let engine: Engine;

  beforeEach(async () => (engine = await makeEngine()));
  afterEach(() => engine.close());

  it('are those of the first events of a stream, and end where the ledger lacks one', async () => {
    await appendChained(engine.store, makeChains(), ...interleaved(2, 4));
    const running = engine.serve({ projections: [ledgerOf(registry)] });
    const head = orThrow(await engine.store.head(['business', 'document']));
    expect(await untilShown(running.byName('ledger').progress, head ?? -1n)).to.equal(true);
    await running.stop();
    const places = makeLedgerPlaces(engine.database, ledgerOf(registry));
    const stream = businessStream(1);
    expect(orThrow(await places.ofStream(stream, 10))).to.deep.equal([1, 3, 5, 7]);
    expect(orThrow(await places.ofStream(stream, 3))).to.deep.equal([1, 3, 5]);
    expect(orThrow(await places.below(8))).to.equal(8);
    await engine.database.query('delete from read_model.ledger where idx = 5');
    expect(orThrow(await places.ofStream(stream, 10))).to.deep.equal([1, 3]);
    expect(orThrow(await places.ofEvent({ stream, revision: 2n }))).to.equal(undefined);
    expect(orThrow(await places.ofEvent({ stream, revision: 3n }))).to.equal(7);
    expect(orThrow(await places.below(8))).to.equal(7);
  });

  it('are none before there is a ledger', async () => {
    const places = makeLedgerPlaces(engine.database, ledgerOf(registry));
    const stream = businessStream(1);
    const found = [
      orThrow(await places.ofStream(stream, 10)),
      orThrow(await places.ofEvent({ stream, revision: 0n })),
      orThrow(await places.decisionsAbout(stream, 10)),
      orThrow(await places.below(8)),
    ];
    expect(found).to.deep.equal([[], undefined, [], 0]);
  });
});
