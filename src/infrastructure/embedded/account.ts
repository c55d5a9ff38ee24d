import { execFile } from 'node:child_process';
import { chown, lchown, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { either as E } from 'fp-ts';
import { cannotStart, type CannotStart } from './embedded-postgres-error.js';

/**
 * Who Postgres runs as. Postgres refuses root, so root lends it the identity of somebody else; for everybody else it
 * is empty: Postgres runs as they do. Spread into the options of `spawn`.
 */
export type Account = { readonly uid?: number; readonly gid?: number };

export const weAreRoot = (): boolean => process.getuid?.() === 0;

const run = promisify(execFile);

/** In /etc/passwd, because initdb refuses a user without an entry there. */
const unprivileged = ['postgres', 'nobody'];

const lookUp = async (): Promise<E.Either<CannotStart, Account>> => {
  const entries = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const wanted of unprivileged) {
    const entry = entries.find(([name]) => name === wanted);
    if (entry !== undefined) return E.right({ uid: Number(entry[2]), gid: Number(entry[3]) });
  }
  return E.left(
    cannotStart('it refuses to run as root, and there is no user "postgres" or "nobody"; run as an ordinary user'),
  );
};

/**
 * The account for the cluster in `directory`: ourselves; as root, whoever owns the data, or a user without rights when
 * there is no data yet or a restored copy of it belongs to root.
 */
export const accountFor = async (directory: string): Promise<E.Either<CannotStart, Account>> => {
  if (!weAreRoot()) return E.right({});
  const { uid, gid } = await stat(directory).catch(() => ({ uid: 0, gid: 0 }));
  return uid === 0 ? lookUp() : E.right({ uid, gid });
};

/** Whether the account may enter or execute every one of the paths; asked of the kernel, so groups and ACLs count. */
export const mayEnter = async (account: Account, ...paths: ReadonlyArray<string>): Promise<boolean> => {
  const script = 'for wanted; do test -x "$wanted" || exit 1; done';
  const asked = run('/bin/sh', ['-c', script, 'sh', ...paths], { ...account, cwd: '/', env: {} });
  return asked.then(
    () => true,
    () => false,
  );
};

export const giveTo = async ({ uid, gid }: Account, ...paths: ReadonlyArray<string>): Promise<void> => {
  if (uid === undefined || gid === undefined) return;
  for (const each of paths) await chown(each, uid, gid);
};

/** A directory and all that is in it. */
export const giveTreeTo = async (account: Account, directory: string): Promise<void> => {
  const { uid, gid } = account;
  if (uid === undefined || gid === undefined) return;
  for (const name of await readdir(directory, { recursive: true })) await lchown(path.join(directory, name), uid, gid);
  await giveTo(account, directory);
};
