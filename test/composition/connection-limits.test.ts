import { expect } from 'chai';
import { connectionLimitsOf, feedLimitOf } from '../../src/composition/connection-limits.js';

describe('how many connections clients may have', () => {
  for (const [openFiles, maxConnections, connections] of [
    [1_024, 1_000, 464],
    [1_048_576, 1_000, 1_000],
    [1_048_576, 20, 20],
    [100, 1_000, 16],
  ] as const)
    it(`is ${connections} with ${openFiles} open files and a maximum of ${maxConnections}`, () => {
      const limits = connectionLimitsOf({ maxConnections, maxConnectionsPerAddress: undefined }, openFiles);
      expect(limits).to.deep.equal({ connections, perAddress: undefined });
    });

  for (const [connections, feeds] of [
    [16, 8],
    [160, 152],
    [1_000, 950],
  ] as const)
    it(`leave room for ${feeds} feeds where there are ${connections}`, () => {
      expect(feedLimitOf(connections)).to.equal(feeds);
    });
});
