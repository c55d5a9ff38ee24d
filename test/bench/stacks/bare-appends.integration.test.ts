import { expect } from 'chai';
import { type EventStoreDbDouble, startDouble } from '../../support/eventstoredb-double/double.js';
import { type Sender, startSender } from '../measure/load.js';
import type { Appends } from './bare-appends.js';

describe('bare appends to EventStoreDB', function () {
  this.timeout(180_000);

  let double: EventStoreDbDouble;
  let appends: Sender<Appends>;
  before(async () => {
    double = await startDouble();
    appends = startSender(new URL('bare-appends.ts', import.meta.url), [double.connectionString]);
  });
  after(() => {
    appends.stop();
    double.close();
  });

  it('are one event each, in a stream and a call of its own', async () => {
    const { requests, errors } = await appends.run({ connections: 2, length: { requests: 5 } });
    expect({ requests, errors }).to.deep.equal({ requests: 5, errors: 0 });
    const stored = double.log.records.filter(({ type }) => type === 'BenchAppended');
    expect(stored.length).to.equal(5);
    expect(new Set(stored.map(({ stream }) => stream)).size).to.equal(5);
    expect(double.node.state.calls.filter(({ rpc }) => rpc === 'append').length).to.equal(5);
  });

  it('are errors when the server is away', async () => {
    double.node.kill();
    const { requests, errors } = await appends.run({ connections: 2, length: { requests: 5 } });
    expect(errors).to.be.greaterThan(0);
    expect(requests).to.equal(0);
  });
});
