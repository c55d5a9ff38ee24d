import { execFile } from 'node:child_process';
import { chown, lchown, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { either as E } from 'fp-ts';
import { cannotStart, type CannotStart } from './embedded-postgres-error.js';

/**
 * The user that Postgres runs as, for the options of `spawn`. Empty: the user of this process. Postgres refuses to run
 * as root, so root starts it as another user.
 */
export type Account = { readonly uid?: number; readonly gid?: number };

export const isRoot = (): boolean => process.getuid?.() === 0;

const run = promisify(execFile);

/** They must be in /etc/passwd, because initdb refuses a user who is not. */
const unprivileged = ['postgres', 'nobody'];

const findUnprivileged = async (): Promise<E.Either<CannotStart, Account>> => {
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
 * The account for the cluster in `directory`. For root that is the owner of the directory, or an unprivileged user when
 * it does not exist or belongs to root, as after a restore; for everybody else the user of this process.
 */
export const accountFor = async (directory: string): Promise<E.Either<CannotStart, Account>> => {
  if (!isRoot()) return E.right({});
  const { uid, gid } = await stat(directory).catch(() => ({ uid: 0, gid: 0 }));
  return uid === 0 ? findUnprivileged() : E.right({ uid, gid });
};

/**
 * Whether the account may traverse each directory, or execute each file, of `paths`. A process of the account tests it,
 * so groups and ACLs count.
 */
export const mayTraverse = async (account: Account, ...paths: ReadonlyArray<string>): Promise<boolean> => {
  const script = 'for wanted; do test -x "$wanted" || exit 1; done';
  const tested = run('/bin/sh', ['-c', script, 'sh', ...paths], { ...account, cwd: '/', env: {} });
  return tested.then(
    () => true,
    () => false,
  );
};

export const changeOwner = async ({ uid, gid }: Account, ...paths: ReadonlyArray<string>): Promise<void> => {
  if (uid === undefined || gid === undefined) return;
  for (const each of paths) await chown(each, uid, gid);
};

/** As `chown -R`, without following links. */
export const changeOwnerOfTree = async (account: Account, directory: string): Promise<void> => {
  const { uid, gid } = account;
  if (uid === undefined || gid === undefined) return;
  for (const name of await readdir(directory, { recursive: true })) await lchown(path.join(directory, name), uid, gid);
  await changeOwner(account, directory);
};
