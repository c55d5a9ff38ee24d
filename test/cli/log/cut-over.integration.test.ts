import { expect } from 'chai';
import type { StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { businessStream, interleaved, makeChains } from '../../support/chained-events.js';
import { type EventStoreDbDouble, startDouble } from '../../support/eventstoredb-double/double.js';
import { runOperator } from '../../support/operator.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';

/** Has one more event in a log whenever somebody begins to read it, so that nobody ever has all of them. */
const growWithEachRead = ({ node }: EventStoreDbDouble, append: () => void): void => {
  const { calls } = node.state;
  Object.assign(calls, {
    push: (...made: typeof calls): number => {
      if (made.some(({ rpc }) => rpc === 'read')) append();
      return Array.prototype.push.apply(calls, made);
    },
  });
};

describe('a cut-over', function () {
  this.timeout(180_000);
  let databases: readonly [string, string];

  before(async function () {
    this.timeout(startingPostgres);
    databases = [await freshDatabase(), await freshDatabase()];
  });

  it('is refused while somebody still appends to the source, and ends with 1', async () => {
    const double = await startDouble();
    const chains = makeChains();
    const append = (stream: StreamName): void => {
      const { event, revision } = chains(stream);
      double.log.append(stream, revision === 0n ? 'no-stream' : revision - 1n, [event]);
    };
    interleaved(3, 3).forEach(append);
    growWithEachRead(double, () => append(businessStream(0)));
    const [rows, target] = databases;
    const env = { EVENTSTOREDB_URL: double.connectionString, DATABASE_URL: rows };
    const { code, stdout, stderr } = await runOperator(['log', 'copy', '--to', target, '--cut-over'], { env });
    double.close();
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.include('the source has new events: stop every process of the service');
  });
});
