import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { connectionsOfPostgresBelow, residentMib } from '../../bench/processes.js';

/** What a service holds, as the system counts it. */
export type Held = {
  /** Resident memory, MiB. */
  readonly rss: number;
  readonly descriptors: number;
  readonly postgres: number;
  /** Those connections to Postgres on which a statement is under way. */
  readonly busyPostgres: number;
  /** Uploads that have not ended. */
  readonly unfinishedFiles: number;
};

/** The same with V8's own count, MiB; garbage counts until it is collected. */
export type Figures = Held & { readonly heap: number; readonly external: number };

const entries = (directory: string): number => {
  try {
    return readdirSync(directory).length;
  } catch {
    return 0; // the process has ended, or no file was ever stored
  }
};

/** Figures of the process `pid` that keeps its data in `dataDir`; throws once it has ended. */
export const heldBy = (pid: number, dataDir: string): Held => {
  const connections = connectionsOfPostgresBelow(pid);
  return {
    rss: residentMib(pid, 'VmRSS'),
    descriptors: entries(`/proc/${pid}/fd`),
    postgres: connections.length,
    busyPostgres: connections.filter(({ isBusy }) => isBusy).length,
    unfinishedFiles: entries(path.join(dataDir, 'files', 'unfinished')),
  };
};

/** Has Linux count the most that a process ever held anew from now on; proc(5), `clear_refs`. */
export const forgetPeak = (pid: number): void => {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
};

/** The higher of each; what a process that is ending no longer has is no number. */
export const highest = (one: Figures, other: Partial<Figures>): Figures => {
  const higher = (key: keyof Figures): number => {
    const figure = other[key];
    return figure === undefined || Number.isNaN(figure) ? one[key] : Math.max(one[key], figure);
  };
  return {
    rss: higher('rss'),
    heap: higher('heap'),
    external: higher('external'),
    descriptors: higher('descriptors'),
    postgres: higher('postgres'),
    busyPostgres: higher('busyPostgres'),
    unfinishedFiles: higher('unfinishedFiles'),
  };
};
