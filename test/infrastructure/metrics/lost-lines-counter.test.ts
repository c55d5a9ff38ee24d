import { expect } from 'chai';
import { countLostLines } from '../../../src/infrastructure/metrics/lost-lines-counter.js';
import { makeMetrics } from '../../../src/infrastructure/metrics/metrics.js';
import { makeManualClock } from '../../support/manual-clock.js';

describe('the counter of lost lines', () => {
  it('shows from the start how many were lost at the scrape', async () => {
    const metrics = makeMetrics(makeManualClock());
    let lost = 0;
    countLostLines(metrics, () => lost);
    const shown = async () => (await metrics.read()).body.match(/^log_lines_lost_total .*$/m)?.[0];
    expect(await shown()).to.equal('log_lines_lost_total 0');
    lost = 7;
    expect(await shown()).to.equal('log_lines_lost_total 7');
    expect(await shown()).to.equal('log_lines_lost_total 7');
  });
});
