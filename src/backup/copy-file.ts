import { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import type { ObjectStorage } from '../application/ports.js';
import type { StoredFile } from '../domain/document/events.js';
import { reasonOf } from '../event-sourcing/reason-of.js';
import { checkContent, FileCheck } from '../read/file-check.js';
import type { FileContents } from '../read/get-file.js';
import { BackupFault } from './backup-fault.js';

/** Why a file was not copied: its source lacks it, or has something else under its key. */
export type NotCopied = { readonly kind: 'missing' | 'different'; readonly reason: string };

class Differs extends Error {}

async function* checked(body: Readable, file: StoredFile): AsyncGenerator<Buffer> {
  const check = new FileCheck(file);
  // reason: a file is a byte stream; Readable itself is typed for objects too
  for await (const piece of body as AsyncIterable<Buffer>) {
    const difference = check.add(piece);
    if (difference !== undefined) throw new Differs(difference.reason);
    yield piece;
  }
  const difference = check.end();
  if (difference !== undefined) throw new Differs(difference.reason);
}

const unreadable = (file: StoredFile, cause: unknown): BackupFault =>
  new BackupFault(`${file.key} cannot be read: ${reasonOf(cause)}`, { cause });

/** Opens a file; says so where it is not there. Throws `BackupFault` where the storage does not answer. */
const opened = async ({ open }: FileContents, file: StoredFile): Promise<E.Either<NotCopied, Readable>> => {
  const body = await open(file.key);
  if (E.isRight(body)) return body;
  if (body.left._tag === 'FileUnavailable') throw unreadable(file, body.left.cause);
  return E.left({ kind: 'missing', reason: body.left.reason });
};

const put = async (to: Pick<ObjectStorage, 'put'>, file: StoredFile, body: Readable) => {
  try {
    return await to.put(file.key, Readable.from(checked(body, file), { objectMode: false }));
  } finally {
    body.destroy(); // a target that fails at once has not begun to read it
  }
};

/**
 * Copies a file while it is compared with its event: one that differs is stored nowhere. Throws `BackupFault` where source
 * or target does not answer.
 */
export const copyFile = async (
  from: FileContents,
  to: Pick<ObjectStorage, 'put'>,
  file: StoredFile,
): Promise<NotCopied | undefined> => {
  const body = await opened(from, file);
  if (E.isLeft(body)) return body.left;
  const stored = await put(to, file, body.right);
  if (E.isRight(stored)) return undefined;
  const { _tag, cause } = stored.left;
  if (cause instanceof Differs) return { kind: 'different', reason: cause.message };
  const what = _tag === 'UploadAborted' ? 'read' : 'stored';
  throw new BackupFault(`${file.key} cannot be ${what}: ${reasonOf(cause)}`, { cause });
};

/** Why a file is not where it was copied to, or is another one. Throws `BackupFault` where that does not answer. */
export const faultOfFile = async (files: FileContents, file: StoredFile): Promise<NotCopied | undefined> => {
  const body = await opened(files, file);
  if (E.isLeft(body)) return body.left;
  try {
    const difference = await checkContent(body.right, file);
    return difference && { kind: 'different', reason: difference.reason };
  } catch (cause) {
    throw unreadable(file, cause);
  }
};
