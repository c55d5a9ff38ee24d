import type { FileFault } from '../../read/file-fault.js';

const MESSAGES = {
  missing: 'a file that an event names is missing in the storage',
  different: 'a file in the storage is not the one that its event names',
} satisfies Readonly<Record<FileFault['kind'], string>>;

/** Logs that a file which was asked for is not as its event says. */
export const logFileFault =
  (log: { readonly error: (fields: object, message: string) => void }) =>
  ({ kind, documentId, key, reason }: FileFault): void =>
    log.error({ document: documentId, key, kind, reason }, MESSAGES[kind]);
