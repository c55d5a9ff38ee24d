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

  const names: ReadonlyArray<readonly [string, string]> = [
    ['postgres://app:planted@db:5432/app?password=planted', 'postgres://app:***@db:5432/app?***'],
    ['postgres://:planted@db/app', 'postgres://:***@db/app'],
    ['postgres://app@db/app', 'postgres://app@db/app'],
    ['postgres://app:pl@planted@db/app', 'postgres://***'],
    ['postgres://app:1/planted@db/app', 'postgres://***'],
    ['postgres://app:1#planted@db/app', 'postgres://***'],
    ['postgres://app:planted', 'postgres://***'],
    ['postgres://[::1]:5432/app', 'postgres://[::1]:5432/app'],
    ['esdb://:planted@log', 'esdb://:***@log'],
    ['esdb://ops:planted@log:2113?tls=false&tlsCAFile=planted', 'esdb://ops:***@log:2113?tls=false&***'],
  ];
  for (const [url, name] of names)
    it(`is named ${name}`, () => {
      expect(nameLocation({ _tag: 'Postgres', url })).to.equal(name);
    });

  it('is the same log by each of its schemes, but not by another host', () => {
    const at = (url: string) => ({ _tag: 'EventStoreDb', url }) as const;
    for (const scheme of ['kurrentdb', 'kurrent', 'kdb'])
      expect(isSameLocation(at('esdb://log?tls=false'), at(`${scheme}://log?tls=false`)), scheme).to.equal(true);
    expect(isSameLocation(at('esdb://log'), at('kdb://other'))).to.equal(false);
  });

  it('is not repeated when it is none', () => {
    for (const text of ['kurrentbd://ops:planted@log', 'postgres://app:1#planted@db/app'])
      expect(() => locationArgument(text)).to.throw(/^((?!planted).)*$/);
  });
});
