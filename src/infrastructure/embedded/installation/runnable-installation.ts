import { existsSync } from 'node:fs';
import { chmod, cp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import * as t from 'io-ts';
import { errorCode } from '../../error-code.js';
import { type Account, mayTraverse } from '../account.js';
import { type Installation, programIn } from './installation.js';
import type { Random } from '../../../event-sourcing/random.js';

const Link = t.type({ source: t.string, target: t.string });

const linksOf = async ({ directory }: Installation): Promise<ReadonlyArray<t.TypeOf<typeof Link>>> => {
  const list = path.join(directory, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return [];
  const links: unknown = JSON.parse(await readFile(list, 'utf8'));
  return Array.isArray(links) ? links.filter(Link.is) : [];
};

/**
 * npm packages cannot contain symlinks. The package creates them in an install script, which npm 12, pnpm, bun and
 * --ignore-scripts do not run; without them the programs do not find their libraries.
 */
const makeMissingLinks = async (installation: Installation): Promise<void> => {
  for (const { source, target } of await linksOf(installation)) {
    const link = path.join(installation.directory, target);
    if (existsSync(link)) continue;
    await symlink(path.relative(path.dirname(target), source), link).catch((cause: unknown) => {
      if (errorCode(cause) !== 'EEXIST') throw cause; // another process was faster
    });
  }
};

/** Codes of errors that mean: the package may not be written to. */
const readOnly = new Set(['EACCES', 'EPERM', 'EROFS']);

const tryMakeLinks = async (installation: Installation): Promise<boolean> => {
  try {
    await makeMissingLinks(installation);
    return true;
  } catch (cause) {
    if (readOnly.has(errorCode(cause))) return false;
    throw cause;
  }
};

const forAll = 0o444;
const forAllIfForOwner = (mode: number): number => ((mode & 0o100) === 0 ? forAll : forAll | 0o111);

/** Lets every account read and run the copy: npm's umask may have denied it. */
const makeReadable = async (directory: string): Promise<void> => {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const { mode } = await stat(file);
    await chmod(file, mode | forAllIfForOwner(mode));
  }
};

/** Copies the package under a temporary name and renames it, so that no process uses an incomplete copy. */
const copyTo = async (
  random: Random,
  programs: string,
  { directory, version }: Installation,
): Promise<Installation> => {
  const copy = { directory: path.join(programs, `postgres-${version}-${process.arch}`), version };
  if (existsSync(copy.directory)) return copy;
  const unfinished = `${copy.directory}.${random.bytes(4).toString('hex')}`;
  await cp(directory, unfinished, { recursive: true, verbatimSymlinks: true });
  await makeReadable(unfinished);
  await makeMissingLinks({ directory: unfinished, version });
  await rename(unfinished, copy.directory).catch(async (cause: unknown) => {
    await rm(unfinished, { recursive: true, force: true });
    if (!existsSync(copy.directory)) throw cause;
  });
  return copy;
};

/**
 * An installation that the account can run: the given one, with its links, or a copy (59 MB) below `programs` when the
 * package may not be written to or the account may not enter it.
 */
export const makeRunnable = async (
  random: Random,
  installation: Installation,
  account: Account,
  programs: string,
): Promise<Installation> => {
  const inPlace =
    (await tryMakeLinks(installation)) &&
    (account.uid === undefined || (await mayTraverse(account, programIn(installation, 'postgres'))));
  return inPlace ? installation : copyTo(random, programs, installation);
};
