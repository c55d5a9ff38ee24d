import { faultOf, UnusableDirectory } from '../disk/usable-directory.js';
import { reasonOf } from '../../event-sourcing/reason-of.js';

type Failure<Tag extends string> = { readonly _tag: Tag; readonly message: string };

export type UnsupportedPlatform = Failure<'UnsupportedPlatform'>;

/** `pid`: the process that uses the directory. */
export type DataDirectoryInUse = Failure<'DataDirectoryInUse'> & { readonly directory: string; readonly pid: number };

export type CannotStart = Failure<'CannotStart'>;

/** Why the embedded Postgres does not run. Each `message` says what to do about it. */
export type EmbeddedPostgresError =
  | UnsupportedPlatform
  | DataDirectoryInUse
  | Failure<'DataDirectoryNotWritable'>
  | Failure<'NoData'>
  | Failure<'MajorVersionMismatch'>
  | CannotStart;

export const unsupportedPlatform = (reason: string): UnsupportedPlatform => ({
  _tag: 'UnsupportedPlatform',
  message: `${reason} Set DATABASE_URL to a Postgres of your own (postgres://user:password@host:5432/database).`,
});

const inUse = (directory: string, pid: number, message: string): DataDirectoryInUse => ({
  _tag: 'DataDirectoryInUse',
  directory,
  pid,
  message,
});

export const inUseByService = (directory: string, pid: number): DataDirectoryInUse =>
  inUse(directory, pid, `Another service (pid ${pid}) uses ${directory}. Stop it, or give this one its own DATA_DIR.`);

export const inUseByOperator = (directory: string, pid: number): DataDirectoryInUse =>
  inUse(
    directory,
    pid,
    `An operator's command (pid ${pid}) works in ${directory} and has not finished. Wait for it, or stop it.`,
  );

export const inUseByServer = (directory: string, pid: number): DataDirectoryInUse =>
  inUse(
    directory,
    pid,
    `A Postgres server (pid ${pid}) that this service does not control runs in ${directory}. Stop it first.`,
  );

const unusable = ({ message }: UnusableDirectory): EmbeddedPostgresError => ({
  _tag: 'DataDirectoryNotWritable',
  message,
});

export const notWritable = (directory: string, reason: string): EmbeddedPostgresError =>
  unusable(new UnusableDirectory(directory, reason));

/** `elsewhere`: sentences that say where data of this directory is outside of it. */
export const noData = (directory: string, elsewhere: ReadonlyArray<string>): EmbeddedPostgresError => ({
  _tag: 'NoData',
  message: [
    `There is no data of a service in ${directory}.`,
    ...elsewhere,
    'Set DATA_DIR to the directory of the service, or start the service, which makes one.',
  ].join(' '),
});

export const majorVersionMismatch = (directory: string, found: string, shipped: string): EmbeddedPostgresError => ({
  _tag: 'MajorVersionMismatch',
  message: `${directory} was written by Postgres ${found}, this release ships Postgres ${shipped}. Stop the service. With the release that wrote it, run \`ops backup\`, which also takes the files and the keys; with this one, \`ops restore --replace\` into a new DATA_DIR (docs/production.md, Upgrade).`,
});

/** `lastLines`: what Postgres printed last. */
export const cannotStart = (reason: string, lastLines: ReadonlyArray<string> = []): CannotStart => ({
  _tag: 'CannotStart',
  message: [`Postgres cannot start: ${reason}.`, ...lastLines.map((line) => `  ${line}`)].join('\n'),
});

/** The error for a file or process operation that failed while Postgres was being started in `directory`. */
export const fromSystemError =
  (directory: string) =>
  (cause: unknown): EmbeddedPostgresError => {
    if (cause instanceof UnusableDirectory) return unusable(cause);
    const fault = faultOf(cause);
    return fault === undefined ? cannotStart(reasonOf(cause)) : notWritable(directory, fault);
  };

/** What Postgres prints where its files cannot be written, and what is wrong then. */
const printedFaults: ReadonlyArray<readonly [RegExp, string]> = [
  [/No space left on device|Disk quota exceeded/, 'its disk has no room for Postgres to start'],
  [/Read-only file system/, 'its file system is read-only'],
];

/** The error for a program of Postgres that ended instead of working in `directory`; `lastLines`: what it printed last. */
export const fromProgram = (
  directory: string,
  reason: string,
  lastLines: ReadonlyArray<string>,
): EmbeddedPostgresError => {
  const fault = printedFaults.find(([printed]) => lastLines.some((line) => printed.test(line)));
  return fault === undefined ? cannotStart(reason, lastLines) : notWritable(directory, fault[1]);
};
