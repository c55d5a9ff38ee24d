import { execFileSync } from 'node:child_process';

/** Whether this machine has Python 3. */
export const hasPython = (): boolean => {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
