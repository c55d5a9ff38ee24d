import { either as E } from 'fp-ts';
import { UnusableSecret } from './read-secret-file.js';
import type { Environment } from './reader.js';

/** The settings that may be given as a file. */
const SECRETS = ['DATABASE_URL', 'EVENTSTOREDB_URL', 'S3_ACCESS_KEY', 'S3_SECRET_KEY', 'JWT_SECRET'].concat([
  'JWT_PUBLIC_KEY',
  'JWKS_URI',
  'SNAPSHOT_KEY',
  'EVENT_KEY',
  'CHECKPOINT_KEY',
  'METRICS_TOKEN',
  'LINK_KEY',
  'ERASURE_KEY',
]);

/** Whose a file is, and what may be done with it, after all links; undefined where files have no owner (Windows). */
type StatSecret = (file: string) => { readonly uid: number; readonly mode: number } | undefined;

/** Why a secret cannot be taken from a file: others may have chosen it. `uid` is the account of this process. */
const ownerFault = (found: ReturnType<StatSecret>, uid: number | undefined): string | undefined => {
  if (found === undefined || uid === undefined) return undefined;
  if (found.uid !== 0 && found.uid !== uid)
    return `the file it names belongs to uid ${found.uid}; give it to uid ${uid}, which this process runs as, or to root`;
  return (found.mode & 0o022) === 0
    ? undefined
    : 'others than its owner can write the file it names; take that from them: chmod go-w';
};

/**
 * Reads secrets from files where `<NAME>_FILE` names one, as container secrets do, so that they need not stand in the
 * environment. Left: the files that cannot be read, and those that are empty: a setting whose file was forgotten is not one
 * that was left out. A secret that is given both ways is a fault: one of the two is old, and nobody sees which one is used.
 * So is a file that others can write, or that belongs to neither `uid` nor root.
 */
export const withSecretFiles = (
  environment: Environment,
  readFile: (file: string) => string,
  statFile: StatSecret = () => undefined,
  uid: number | undefined = process.getuid?.(),
): E.Either<ReadonlyArray<string>, Environment> => {
  const faults: Array<string> = [];
  const resolved: Record<string, string | undefined> = { ...environment };
  for (const name of SECRETS) {
    const file = environment[`${name}_FILE`];
    if (file === undefined || file === '') continue;
    if (![undefined, ''].includes(environment[name])) faults.push(`${name} and ${name}_FILE: give only one of them`);
    try {
      const value = readFile(file).trim();
      const fault = ownerFault(statFile(file), uid);
      if (fault !== undefined) faults.push(`${name}_FILE: ${fault}`);
      if (value === '') faults.push(`${name}_FILE: the file it names is empty`);
      resolved[name] = value;
    } catch (error) {
      const fault = error instanceof UnusableSecret ? error.message : 'cannot be read';
      faults.push(`${name}_FILE: the file it names ${fault}`);
    }
  }
  return faults.length === 0 ? E.right(resolved) : E.left(faults);
};

/** The faults of an environment that names a file for one of these settings, which is not read from a file. */
export const filesOfOthers = (environment: Environment, settings: ReadonlySet<string>): ReadonlyArray<string> =>
  Object.entries(environment).flatMap(([variable, file = '']) => {
    const name = variable.replace(/_FILE$/, '');
    const isOther = name !== variable && settings.has(name) && !SECRETS.includes(name);
    return isOther && file !== '' ? [`${variable}: this setting is not read from a file; set ${name}`] : [];
  });
