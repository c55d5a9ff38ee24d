import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { errorCode } from './error-code.js';
import type { Random } from '../event-sourcing/random.js';

/** A service, or an operator's command. */
export type ProcessKind = 'service' | 'operator';

/**
 * The process that started a server; when it ends, the server is stopped. The server carries this on its command line:
 * unlike a file, that is gone when the server is.
 */
export type Owner = {
  readonly processKind: ProcessKind;
  readonly pid: number;
  /** As `/proc` gives it, empty on other systems: after a while another process may have the same pid. */
  readonly startTime: string;
  /** Distinguishes several launchers in one process. */
  readonly launchId: string;
};

/** Fields of /proc/<pid>/stat. The process name before them may contain blanks and parentheses. */
const linuxStat = (pid: number): { readonly state: string; readonly startTime: string } | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startTime: fields[19] ?? '' };
  } catch {
    return undefined;
  }
};

export const startTimeOf = (pid: number): string => linuxStat(pid)?.startTime ?? '';

/** A process that has ended keeps its pid until its parent has waited for it. */
const isZombie = (pid: number): boolean => ['Z', 'X'].includes(linuxStat(pid)?.state ?? '');

export const processExists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
  } catch (cause) {
    return errorCode(cause) === 'EPERM';
  }
  return !isZombie(pid);
};

/** This process, as the owner of what one launcher in it starts. */
export const makeOwner = (random: Random, processKind: ProcessKind): Owner => ({
  processKind,
  pid: process.pid,
  startTime: startTimeOf(process.pid),
  launchId: random.bytes(4).toString('hex'),
});

export const formatOwner = ({ processKind, pid, startTime, launchId }: Owner): string =>
  [processKind, pid, startTime, launchId].join(':');

/** Undefined when the text is not one of `formatOwner`. */
export const parseOwner = (text: string): Owner | undefined => {
  const [processKind, pid, startTime, launchId] = text.split(':');
  if (processKind !== 'service' && processKind !== 'operator') return undefined;
  if (startTime === undefined || launchId === undefined) return undefined;
  return { processKind, pid: Number(pid), startTime, launchId };
};

/** Whether the process still runs, and its pid has not been given to another one. */
export const isAlive = ({ pid, startTime }: Pick<Owner, 'pid' | 'startTime'>): boolean =>
  processExists(pid) && startTimeOf(pid) === startTime;

const commandLine = (pid: number): string => {
  try {
    return process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      : execFileSync('/bin/ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
};

/** Undefined where /proc may not be read, as by root in a container without SYS_PTRACE, which is the default there. */
const hasWorkingDirectory = (pid: number, directory: string): boolean | undefined => {
  try {
    const [own, wanted] = [statSync(`/proc/${pid}/cwd`), statSync(directory)];
    return own.dev === wanted.dev && own.ino === wanted.ino;
  } catch {
    return undefined;
  }
};

/**
 * Whether the process with this pid is a Postgres that runs in this data directory. Judged by its working directory,
 * which does not depend on how the path was written; where that cannot be read, by its command line. Where neither can
 * be read, as on Windows, any process with the pid counts: to wait for a process that is no server does less harm than a
 * second server on the same data.
 */
export const isServerIn = (data: string, pid: number): boolean => {
  if (!processExists(pid)) return false;
  const isThere = hasWorkingDirectory(pid, data);
  if (isThere !== undefined) return isThere;
  const command = commandLine(pid);
  return command === '' ? processExists(pid) : command.includes(data);
};
