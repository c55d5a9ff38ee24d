import { expect } from 'chai';
import { networkOf } from '../../../src/http/budget/network.js';

describe('what counts as one client of an address', () => {
  it('is an IPv4 address, however it is written', () => {
    for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '::FFFF:192.0.2.7'])
      expect(networkOf(address), address).to.equal('192.0.2.7');
    expect(networkOf('192.0.2.8')).not.to.equal(networkOf('192.0.2.7'));
  });

  it('is the /64 of an IPv6 address', () => {
    for (const address of [
      '2001:db8:0:1::',
      '2001:db8:0:1::7',
      '2001:0db8:0000:0001:ffff:1:2:3',
      '2001:DB8::1:9:8:7:6',
    ])
      expect(networkOf(address), address).to.equal('2001:db8:0:1::/64');
    for (const address of ['2001:db8::7', '2001:db8:0:2::7', '2001:db8:1::1:0:0:7'])
      expect(networkOf(address), address).not.to.equal('2001:db8:0:1::/64');
    expect([networkOf('::1'), networkOf('fe80::1%eth0')]).to.deep.equal(['0:0:0:0::/64', 'fe80:0:0:0::/64']);
  });

  it('is nothing of an address that is not known', () => {
    expect(networkOf('')).to.equal('');
  });
});
