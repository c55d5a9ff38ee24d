import { expect } from 'chai';
import { isSameLocation, locationArgument, nameLocation } from '../../../src/cli/log/location.js';

describe('a log on the command line', () => {
  const schemes = ['esdb', 'kurrentdb', 'kurrent', 'kdb'].flatMap((scheme) => [scheme, `${scheme}+discover`]);

  for (const scheme of schemes)
    it(`may be at ${scheme}://, and is named without its password`, () => {
      const location = locationArgument(`${scheme}://ops:planted@log:2113`);
      if (location._tag !== 'EventStoreDb') throw new Error(location._tag);
      expect(nameLocation(location)).to.equal(`${scheme}://ops:***@log:2113`);
    });

  it('is the same log by each of its schemes, but not by another host', () => {
    const at = (url: string) => ({ _tag: 'EventStoreDb', url }) as const;
    for (const scheme of ['kurrentdb', 'kurrent', 'kdb'])
      expect(isSameLocation(at('esdb://log?tls=false'), at(`${scheme}://log?tls=false`)), scheme).to.equal(true);
    expect(isSameLocation(at('esdb://log'), at('kdb://other'))).to.equal(false);
  });

  it('is not repeated when it is none', () => {
    expect(() => locationArgument('kurrentbd://ops:planted@log')).to.throw(/^((?!planted).)*$/);
  });
});
