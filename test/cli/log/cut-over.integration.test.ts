import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { appendChained, businessStream, interleaved, makeChains } from '../../support/chained-events.js';
import { startDouble } from '../../support/eventstoredb-double/double.js';
import { openStore } from '../../support/eventstoredb-double/open-store.js';
import { runOperator } from '../../support/operator.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';

describe('a cut-over', function () {
  this.timeout(120_000);
  let databases: readonly [string, string];

  before(async function () {
    this.timeout(startingPostgres);
    databases = [await freshDatabase(), await freshDatabase()];
  });

  it('is refused while somebody still appends to the source, and ends with 1', async () => {
    const double = await startDouble();
    const { store } = openStore(double.connectionString);
    const chains = makeChains();
    await appendChained(store, chains, ...interleaved(3, 3));
    const going = { isOver: false };
    const goOn = async (): Promise<void> => {
      while (!going.isOver) {
        await appendChained(store, chains, businessStream(0));
        await delay(1);
      }
    };
    const appending = goOn();
    const [rows, target] = databases;
    const env = { EVENTSTOREDB_URL: double.connectionString, DATABASE_URL: rows };
    const { code, stdout, stderr } = await runOperator(['log', 'copy', '--to', target, '--cut-over'], { env });
    going.isOver = true;
    await appending;
    await store.close();
    double.close();
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.include('the source has new events: stop every process of the service');
  });
});
