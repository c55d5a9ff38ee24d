import { expect } from 'chai';
import { withMaskedAddresses } from '../../src/cli/masked-address.js';

describe('a message about the command line', () => {
  const address = 'postgres://app:planted%2F@db/app';

  it('has no password of an address that it quotes, whole, behind an option, or as a path', () => {
    const args = ['log', 'import', `--frm=${address}`, address];
    expect(withMaskedAddresses(`unknown option '--frm=${address}'`, args)).to.equal(
      "unknown option '--frm=postgres://app:***@db/app'",
    );
    expect(withMaskedAddresses(`no such directory: ${address}`, args)).to.equal(
      'no such directory: postgres://app:***@db/app',
    );
    expect(withMaskedAddresses('no such directory: /here/postgres:/app:planted%2F@db/app', args)).to.equal(
      'no such directory: /here/postgres://app:***@db/app',
    );
  });

  it('has none of the longer one of two addresses', () => {
    const said = withMaskedAddresses('postgres://app:1/planted@db', [
      'postgres://app:1',
      'postgres://app:1/planted@db',
    ]);
    expect(said).to.equal('postgres://***');
  });

  it('is as it was without an address', () => {
    expect(withMaskedAddresses("unknown command 'planted'", ['planted', '--out=planted'])).to.equal(
      "unknown command 'planted'",
    );
  });
});
