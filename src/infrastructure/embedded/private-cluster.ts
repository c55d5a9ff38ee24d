import { chmod, stat } from 'node:fs/promises';
import { either as E } from 'fp-ts';
import { type EmbeddedPostgresError, notWritable } from './embedded-postgres-error.js';

/** What the owner alone may do; others only as far as Postgres bears it in its data directory (0750). */
type Private = { readonly name: string; readonly mode: number; readonly refused: number };

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, '0');

/** The mode is read again: some file systems take a `chmod` and keep their own modes. */
const isMended = async ({ name, mode, refused }: Private): Promise<boolean> =>
  chmod(name, mode).then(
    async () => ((await stat(name)).mode & refused) === 0,
    () => false,
  );

/**
 * Takes from the group and from others the rights that they have on the files of a cluster and should not have, as after
 * `umask 002`, in a volume whose files were given to a group, or unpacked from an archive: Postgres refuses such data. Only
 * the owner and root can; for everybody else, and where modes cannot be changed, the error says what to do.
 */
export const makePrivate = async (
  { cluster, data, password }: Readonly<Record<'cluster' | 'data' | 'password', string>>,
  onLog: (line: string) => void,
): Promise<E.Either<EmbeddedPostgresError, void>> => {
  const all: ReadonlyArray<Private> = [
    { name: cluster, mode: 0o700, refused: 0o027 },
    { name: data, mode: 0o700, refused: 0o027 },
    { name: password, mode: 0o600, refused: 0o077 },
  ];
  for (const each of all) {
    const { mode: found, uid } = await stat(each.name);
    if ((found & each.refused) === 0) continue;
    const [was, wanted] = [octal(found), octal(each.mode)];
    if (!(await isMended(each)))
      return E.left(
        notWritable(
          each.name,
          `others may use it (mode ${was}), and this process cannot change that. Let its owner (uid ${uid}) run ` +
            `"chmod ${wanted} ${each.name}", or keep it on a file system that has modes`,
        ),
      );
    onLog(`${each.name} had mode ${was}, which lets others use it; it has mode ${wanted} again`);
  }
  return E.right(undefined);
};
