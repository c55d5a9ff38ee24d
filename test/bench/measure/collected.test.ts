import { PerformanceObserver } from 'node:perf_hooks';
import { expect } from 'chai';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { collectedIn } from './collected.js';

describe('the time that a service spent in garbage collection', () => {
  it('is the sum of all kinds', () => {
    const text = [
      '# TYPE nodejs_gc_duration_seconds histogram',
      'nodejs_gc_duration_seconds_bucket{le="0.001",kind="minor"} 7',
      'nodejs_gc_duration_seconds_sum{kind="minor"} 0.25',
      'nodejs_gc_duration_seconds_count{kind="minor"} 12',
      'nodejs_gc_duration_seconds_sum{kind="major"} 1.5e-2',
      'process_cpu_seconds_total 3',
      '',
    ].join('\n');
    expect(collectedIn(text)).to.be.closeTo(0.265, 1e-9);
  });

  it('is found in what prom-client writes', async () => {
    const register = new Registry();
    collectDefaultMetrics({ register });
    const seen = new Promise((resolve) => new PerformanceObserver(resolve).observe({ entryTypes: ['gc'] }));
    const garbage = Array.from({ length: 100 }, () => Array.from({ length: 20_000 }, () => ({})));
    expect(garbage.length).to.equal(100);
    await seen;
    expect(collectedIn(await register.metrics())).to.be.greaterThan(0);
  });
});
