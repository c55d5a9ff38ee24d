import { expect } from 'chai';
import { namesIn } from './promql.js';

describe('the names in an expression of PromQL', () => {
  it('are those of metrics and of their labels, and not of functions, operators, times and groups', () => {
    const expression =
      'histogram_quantile(0.99, sum by (job, le) (rate(seconds_bucket{job="a",status=~"5.."}[10m]))) > 1 ' +
      'and on (job) max(ended{kind!="b"}) < time() - 1e3 or x unless x offset 15m';
    expect(namesIn(expression)).to.deep.equal({
      reads: [
        {
          metric: 'seconds_bucket',
          matchers: [
            { label: 'job', operator: '=', value: 'a' },
            { label: 'status', operator: '=~', value: '5..' },
          ],
        },
        { metric: 'ended', matchers: [{ label: 'kind', operator: '!=', value: 'b' }] },
        { metric: 'x', matchers: [] },
        { metric: 'x', matchers: [] },
      ],
      grouping: ['job', 'le', 'job'],
    });
  });
});
