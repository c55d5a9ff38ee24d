/** What Linux counts of processes: CPU time and memory. There is no such place on other systems. */
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';

/** CPU times are given in hundredths of a second, on every Linux that Node runs on. */
const TICK_US = 10_000;

type Process = { readonly pid: number; readonly parent: number; readonly name: string; readonly ticks: number };

const fieldsOf = (pid: number): ReadonlyArray<string> | undefined => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(/[()]/);
  } catch {
    return undefined; // it has ended
  }
};

/** How the process calls itself; Postgres says there who is connected and what it does. */
const titleOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return ''; // it has ended
  }
};

/** Ticks with those of the children that it has seen the end of. */
const processOf = (pid: number): Process | undefined => {
  const stat = fieldsOf(pid);
  if (stat === undefined) return undefined;
  const numbers = (stat.at(-1) ?? '').trim().split(' ').map(Number);
  const ticks = numbers.slice(11, 15).reduce((sum, count) => sum + count, 0);
  return { pid, parent: numbers[1] ?? 0, name: stat[1] ?? '', ticks };
};

const all = (): ReadonlyArray<Process> =>
  readdirSync('/proc').flatMap((entry) => (/^\d+$/.test(entry) ? (processOf(Number(entry)) ?? []) : []));

const descendantsOf = (pid: number, processes: ReadonlyArray<Process>): ReadonlyArray<Process> => {
  const children = processes.filter(({ parent }) => parent === pid);
  return children.concat(children.flatMap((child) => descendantsOf(child.pid, processes)));
};

/** CPU time of a process, µs, user and system. */
export const cpuOf = (pid: number): number => (processOf(pid)?.ticks ?? 0) * TICK_US;

const postgresBelow = (pid: number): ReadonlyArray<Process> =>
  descendantsOf(pid, all()).filter(({ name }) => name === 'postgres');

/** CPU time of the Postgres that runs below a process, µs. */
export const cpuOfPostgresBelow = (pid: number): number =>
  postgresBelow(pid).reduce((sum, { ticks }) => sum + ticks * TICK_US, 0);

/** CPU time of a process and of all that runs below it, µs. */
const cpuOfTree = (pid: number): number => {
  const processes = all();
  const tree = [...processes.filter((process) => process.pid === pid), ...descendantsOf(pid, processes)];
  return tree.reduce((sum, { ticks }) => sum + ticks * TICK_US, 0);
};

/** The state of a socket that listens, as `/proc/net/tcp` names it. */
const LISTENS = '0A';

const socketsListeningOn = (port: number): ReadonlySet<string> => {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => readFileSync(file, 'utf8').trim().split('\n'));
  const fields = lines.map((line) => line.trim().split(/ +/));
  const listening = fields.filter(([, local = '', , state]) => local.endsWith(suffix) && state === LISTENS);
  return new Set(listening.map((field) => `socket:[${field[9] ?? ''}]`));
};

const linksOf = (pid: number): ReadonlyArray<string> => {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((name) => readlinkSync(`/proc/${pid}/fd/${name}`));
  } catch {
    return []; // it has ended, or is somebody else's
  }
};

/**
 * Has the CPU time of a server counted, µs, with all that runs below it: of the process that listens on the port of
 * this address. NaN for a server on another host, in a container, or of another user.
 */
export const cpuOfServer = (address: string): (() => number) => {
  const { hostname, port } = new URL(address);
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) return () => NaN;
  const sockets = socketsListeningOn(Number(port));
  // of several that share the socket, the first is the parent
  const server = all()
    .filter(({ name, pid }) => name !== 'docker-proxy' && linksOf(pid).some((link) => sockets.has(link)))
    .toSorted((one, other) => one.pid - other.pid)[0];
  return server === undefined ? () => NaN : () => cpuOfTree(server.pid);
};

/** A process for each connection to the Postgres that runs below a process; `isBusy`: a statement is under way. */
export const connectionsOfPostgresBelow = (pid: number): ReadonlyArray<{ readonly isBusy: boolean }> =>
  postgresBelow(pid).flatMap((process) => {
    const title = titleOf(process.pid);
    return / \S+\(\d+\) /.test(title) ? [{ isBusy: !title.endsWith(' idle') }] : [];
  });

/** CPU time that the machine has been busy, µs, all processors together; what its host kept for others is among it. */
export const cpuOfMachine = (): number => {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, stolen = 0] = (
    readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? ''
  )
    .split(/ +/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softIrq + stolen) * TICK_US;
};

/** Resident memory, MiB: now, or the most it ever was. */
export const residentMib = (pid: number, which: 'VmRSS' | 'VmHWM'): number => {
  const kib = new RegExp(`${which}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kib) / 1024);
};

/** Has the most memory that a process ever took (`VmHWM`) counted anew from what it takes now. */
export const forgetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');
