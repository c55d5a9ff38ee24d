import { expect } from 'chai';
import { Started } from '../../src/composition/started.js';

describe('what has been started', () => {
  it('is stopped once, the last first, and each when the one before it has ended', async () => {
    const started = new Started();
    const steps: Array<string> = [];
    for (const part of ['log', 'projections', 'server'])
      started.add(async () => {
        steps.push(`${part} stops`);
        await new Promise((resolve) => setImmediate(resolve));
        steps.push(`${part} has ended`);
      });
    await started.stop();
    await started.stop();
    const order = ['server', 'projections', 'log'];
    expect(steps).to.deep.equal(order.flatMap((part) => [`${part} stops`, `${part} has ended`]));
  });
});
