import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { either as E } from 'fp-ts';
import { accountFor } from '../../src/infrastructure/embedded/account.js';
import { freePort } from '../../src/infrastructure/embedded/server/acquire-server.js';
import { eventually } from './eventually.js';

const PROGRAM = process.env['PGBOUNCER'] ?? '/usr/sbin/pgbouncer';

/** Whether there is a PgBouncer: Debian's, or the program that the variable `PGBOUNCER` names. */
export const hasPgBouncer = existsSync(PROGRAM);

type PgBouncer = {
  /** The given URL, by way of the pooler. */
  readonly url: string;
  readonly stop: () => Promise<void>;
};

const configuration = (to: URL, port: number, mode: string): string => `
[databases]
* = host=${to.hostname} port=${to.port} user=${to.username} password=${to.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
max_client_conn = 500
default_pool_size = 150
`;

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', () => resolve(false));
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });

/** Starts a pooler before the server of a connection string. */
export const startPgBouncer = async (
  target: string,
  mode: 'session' | 'transaction' | 'statement',
): Promise<PgBouncer> => {
  const directory = await mkdtemp(path.join(tmpdir(), 'pgbouncer-'));
  const port = await freePort();
  const file = path.join(directory, 'pgbouncer.ini');
  await writeFile(file, configuration(new URL(target), port, mode));
  await chmod(directory, 0o755);
  const account = await accountFor(directory); // it refuses to run as root
  if (E.isLeft(account)) throw new Error(account.left.message);
  const child = spawn(PROGRAM, ['-q', file], { ...account.right, cwd: '/', stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('close', resolve));
  // polls: it tells nobody when it listens
  await eventually(
    () => accepts(port),
    (isThere) => isThere,
  );
  const url = Object.assign(new URL(target), { hostname: '127.0.0.1', port: String(port), search: '' });
  return {
    url: url.href,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(directory, { recursive: true });
    },
  };
};
