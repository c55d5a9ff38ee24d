import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { codeOf } from './embedded-postgres-error.js';

export type ClaimKind = 'service' | 'operator';

/**
 * The process that started a server and whose end is the server's end. The server carries this on its command line, so
 * that it vanishes with the server, as a file would not.
 */
export type Owner = {
  readonly claim: ClaimKind;
  readonly pid: number;
  /** When the process started, where the system tells: a pid alone may be somebody else's by now. */
  readonly born: string;
  /** Tells apart several launchers in one process. */
  readonly mark: string;
};

/** State and start time from /proc/<pid>/stat; the name before them may contain blanks and parentheses. */
const linuxStat = (pid: number): { readonly state: string; readonly born: string } | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', born: fields[19] ?? '' };
  } catch {
    return undefined;
  }
};

export const bornAt = (pid: number): string => linuxStat(pid)?.born ?? '';

/** A killed process that nobody has waited for is a zombie: it has a pid and does nothing any more. */
const isZombie = (pid: number): boolean => ['Z', 'X'].includes(linuxStat(pid)?.state ?? '');

export const processExists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
  } catch (cause) {
    return codeOf(cause) === 'EPERM';
  }
  return !isZombie(pid);
};

export const ourselves = (claim: ClaimKind): Owner => ({
  claim,
  pid: process.pid,
  born: bornAt(process.pid),
  mark: randomBytes(4).toString('hex'),
});

export const ownerText = ({ claim, pid, born, mark }: Owner): string => [claim, pid, born, mark].join(':');

export const parseOwner = (text: string): Owner | undefined => {
  const [claim, pid, born, mark] = text.split(':');
  if ((claim !== 'service' && claim !== 'operator') || born === undefined || mark === undefined) return undefined;
  return { claim, pid: Number(pid), born, mark };
};

/** Whether it is still the same process. */
export const lives = ({ pid, born }: Pick<Owner, 'pid' | 'born'>): boolean =>
  processExists(pid) && bornAt(pid) === born;

const commandLine = (pid: number): string => {
  try {
    return process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      : execFileSync('/bin/ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
};

/** Undefined where we may not look: root in a container without SYS_PTRACE, which is the usual one. */
const worksIn = (directory: string, pid: number): boolean | undefined => {
  try {
    const [own, wanted] = [statSync(`/proc/${pid}/cwd`), statSync(directory)];
    return own.dev === wanted.dev && own.ino === wanted.ino;
  } catch {
    return undefined;
  }
};

/**
 * Whether a pid is a Postgres that works in this data directory, or has been given to another process since.
 * On Linux the working directory tells, which does not depend on how the path was written, else the command line. Where
 * nothing tells, as on Windows, the answer is yes: to wait in vain is harmless, a second server on the same data is not.
 */
export const isServerIn = (data: string, pid: number): boolean => {
  if (!processExists(pid)) return false;
  const works = worksIn(data, pid);
  if (works !== undefined) return works;
  const command = commandLine(pid);
  return command === '' ? processExists(pid) : command.includes(data);
};
