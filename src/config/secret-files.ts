import { either as E } from 'fp-ts';
import type { Environment } from './reader.js';

const SECRETS = ['DATABASE_URL', 'EVENTSTOREDB_URL', 'S3_ACCESS_KEY', 'S3_SECRET_KEY', 'JWT_SECRET'].concat([
  'JWT_PUBLIC_KEY',
  'SNAPSHOT_KEY',
  'EVENT_KEY',
  'CHECKPOINT_KEY',
  'METRICS_TOKEN',
]);

/**
 * Reads secrets from files where `<NAME>_FILE` names one, as container secrets do, so that they need not stand in the
 * environment. Left: the files that cannot be read, and those that are empty: a setting whose file was forgotten is not one
 * that was left out. A secret that is given both ways is a fault: one of the two is old, and nobody sees which one is used.
 */
export const withSecretFiles = (
  environment: Environment,
  readFile: (file: string) => string,
): E.Either<ReadonlyArray<string>, Environment> => {
  const faults: Array<string> = [];
  const resolved: Record<string, string | undefined> = { ...environment };
  for (const name of SECRETS) {
    const file = environment[`${name}_FILE`];
    if (file === undefined || file === '') continue;
    if (![undefined, ''].includes(environment[name])) faults.push(`${name} and ${name}_FILE: give only one of them`);
    try {
      const value = readFile(file).trim();
      if (value === '') faults.push(`${name}_FILE: the file it names is empty`);
      resolved[name] = value;
    } catch {
      faults.push(`${name}_FILE: the file it names cannot be read`);
    }
  }
  return faults.length === 0 ? E.right(resolved) : E.left(faults);
};
