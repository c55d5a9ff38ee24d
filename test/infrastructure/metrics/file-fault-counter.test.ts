import { expect } from 'chai';
import { makeFileFaultCounter } from '../../../src/infrastructure/metrics/file-fault-counter.js';
import { makeMetrics } from '../../../src/infrastructure/metrics/metrics.js';
import { makeManualClock } from '../../support/manual-clock.js';

describe('the counter of files that are not as their events say', () => {
  it('counts by kind, from zero on', async () => {
    const metrics = makeMetrics(makeManualClock());
    const count = makeFileFaultCounter(metrics);
    const fault = { documentId: 'd1', key: 'documents/d1/f1', reason: '' };
    count({ ...fault, kind: 'different' });
    count({ ...fault, kind: 'different' });
    const { body } = await metrics.read();
    expect(body.split('\n').filter((line) => line.startsWith('file_faults_total'))).to.deep.equal([
      'file_faults_total{kind="missing"} 0',
      'file_faults_total{kind="different"} 2',
    ]);
  });
});
