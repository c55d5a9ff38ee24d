import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';

/** So many seeds of a commit: always the same ones, and of the next commit others. */
export const drawSeeds = (commit: string, many: number): ReadonlyArray<number> =>
  Array.from({ length: many }, (_, number) =>
    createHash('sha256').update(`${commit} ${number}`).digest().readUInt32BE(),
  );

const HASH = /^[\da-f]{40}$/u;

/** The hash of a commit of this checkout. One that is a hash needs no checkout. */
export const hashOf = (commit: string): string => {
  if (HASH.test(commit)) return commit;
  try {
    const found = execFileSync('git', ['rev-parse', '--verify', '--quiet', `${commit}^{commit}`], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return found.trim();
  } catch {
    throw new Error(`git finds no commit ${commit} here to draw seeds from: give its 40 digits by --commit`);
  }
};
