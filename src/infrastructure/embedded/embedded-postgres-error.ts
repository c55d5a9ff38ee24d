import { errorCode } from '../error-code.js';
import { reasonOf } from '../logging/reason-of.js';

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

export const notWritable = (directory: string, reason: string): EmbeddedPostgresError => ({
  _tag: 'DataDirectoryNotWritable',
  message: `${directory} cannot be used for data: ${reason}. Change its permissions, or set DATA_DIR to another directory.`,
});

export const majorVersionMismatch = (directory: string, found: string, shipped: string): EmbeddedPostgresError => ({
  _tag: 'MajorVersionMismatch',
  message: `${directory} was written by Postgres ${found}, this release ships Postgres ${shipped}. Export the log with the release that wrote it and import it into a new DATA_DIR, or set DATABASE_URL to a Postgres of your own.`,
});

/** `lastLines`: what Postgres printed last. */
export const cannotStart = (reason: string, lastLines: ReadonlyArray<string> = []): CannotStart => ({
  _tag: 'CannotStart',
  message: [`Postgres cannot start: ${reason}.`, ...lastLines.map((line) => `  ${line}`)].join('\n'),
});

const notWritableCodes = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST']);

/** The error for a file or process operation that failed while Postgres was being started in `directory`. */
export const fromSystemError =
  (directory: string) =>
  (cause: unknown): EmbeddedPostgresError => {
    const reason = reasonOf(cause);
    return notWritableCodes.has(errorCode(cause)) ? notWritable(directory, reason) : cannotStart(reason);
  };
