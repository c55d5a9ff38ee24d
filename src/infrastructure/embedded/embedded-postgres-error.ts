import { errorCode } from '../error-code.js';

/** Why the embedded Postgres does not run. Each `message` says what to do about it. */
export type EmbeddedPostgresError =
  UnsupportedPlatform | DataDirectoryInUse | DataDirectoryNotWritable | MajorVersionMismatch | CannotStart;

export type UnsupportedPlatform = { readonly _tag: 'UnsupportedPlatform'; readonly message: string };

export type DataDirectoryInUse = {
  readonly _tag: 'DataDirectoryInUse';
  readonly directory: string;
  /** The process that uses the directory. */
  readonly pid: number;
  readonly message: string;
};

type DataDirectoryNotWritable = {
  readonly _tag: 'DataDirectoryNotWritable';
  readonly directory: string;
  readonly message: string;
};

type MajorVersionMismatch = {
  readonly _tag: 'MajorVersionMismatch';
  readonly directory: string;
  readonly found: string;
  readonly shipped: string;
  readonly message: string;
};

export type CannotStart = {
  readonly _tag: 'CannotStart';
  /** What Postgres printed last. */
  readonly lastLines: ReadonlyArray<string>;
  readonly message: string;
};

const alternative = 'Set DATABASE_URL to a Postgres of your own';

export const unsupportedPlatform = (reason: string): UnsupportedPlatform => ({
  _tag: 'UnsupportedPlatform',
  message: `${reason} ${alternative} (postgres://user:password@host:5432/database).`,
});

export const inUseByService = (directory: string, pid: number): DataDirectoryInUse => ({
  _tag: 'DataDirectoryInUse',
  directory,
  pid,
  message: `Another service (pid ${pid}) uses ${directory}. Stop it, or give this one its own DATA_DIR.`,
});

export const inUseByOperator = (directory: string, pid: number): DataDirectoryInUse => ({
  _tag: 'DataDirectoryInUse',
  directory,
  pid,
  message: `An operator's command (pid ${pid}) works in ${directory} and has not finished. Wait for it, or stop it.`,
});

export const inUseByServer = (directory: string, pid: number): DataDirectoryInUse => ({
  _tag: 'DataDirectoryInUse',
  directory,
  pid,
  message: `A Postgres server (pid ${pid}) that this service does not control runs in ${directory}. Stop it first.`,
});

export const notWritable = (directory: string, reason: string): DataDirectoryNotWritable => ({
  _tag: 'DataDirectoryNotWritable',
  directory,
  message: `${directory} cannot be used for data: ${reason}. Change its permissions, or set DATA_DIR to another directory.`,
});

export const majorVersionMismatch = (directory: string, found: string, shipped: string): MajorVersionMismatch => ({
  _tag: 'MajorVersionMismatch',
  directory,
  found,
  shipped,
  message: `${directory} was written by Postgres ${found}, this release ships Postgres ${shipped}. Export the log with the release that wrote it and import it into a new DATA_DIR, or set DATABASE_URL to a Postgres of your own.`,
});

export const cannotStart = (reason: string, lastLines: ReadonlyArray<string> = []): CannotStart => ({
  _tag: 'CannotStart',
  lastLines,
  message: [`Postgres cannot start: ${reason}.`, ...lastLines.map((line) => `  ${line}`)].join('\n'),
});

const notWritableCodes = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST']);

/** The error for a file or process operation that failed while Postgres was being started in `directory`. */
export const fromSystemError =
  (directory: string) =>
  (cause: unknown): EmbeddedPostgresError => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return notWritableCodes.has(errorCode(cause)) ? notWritable(directory, reason) : cannotStart(reason);
  };
