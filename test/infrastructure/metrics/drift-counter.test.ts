import { expect } from 'chai';
import { makeDriftCounter } from '../../../src/infrastructure/metrics/projection-metrics.js';
import { makeMetrics } from '../../../src/infrastructure/metrics/metrics.js';
import { makeManualClock } from '../../support/manual-clock.js';

describe('the counter of drifted rows', () => {
  it('counts by read model, from zero on', async () => {
    const metrics = makeMetrics(makeManualClock());
    const count = makeDriftCounter(metrics, ['businesses', 'documents']);
    count('documents');
    count('documents');
    const { body } = await metrics.read();
    expect(body.split('\n').filter((line) => line.startsWith('projection_drift_total'))).to.deep.equal([
      'projection_drift_total{read_model="businesses"} 0',
      'projection_drift_total{read_model="documents"} 2',
    ]);
  });
});
