import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../src/infrastructure/embedded/server/acquire-server.js';
import { untilFile } from './until-file.js';

/** An nginx that runs by `deploy/proxy.conf`. */
export type Nginx = {
  readonly base: string;
  /** Where its logs are. */
  readonly directory: string;
  readonly stop: () => Promise<void>;
};

/** Whether this machine has one. */
export const hasNginx = spawnSync('nginx', ['-v']).status === 0;

/** The file for an nginx outside of the containers: other addresses and logs. Debian's is too old for `resolve`. */
const configuration = (text: string, directory: string, port: number, upstream: string): string => {
  const http = text
    .replace('${NGINX_RESOLVER}', '127.0.0.1')
    .replaceAll(/api[12]:3000 resolve/g, upstream)
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replaceAll('/var/log/nginx', directory);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${directory};`);
  return [
    `pid ${directory}/pid; error_log ${directory}/main.log; worker_processes 1; daemon off; events {}`,
    `http { access_log off; ${places.join(' ')}\n${http} }`,
  ].join('\n');
};

/** Starts one in front of a service at `upstream`, `http://host:port`. */
export const startNginx = async (upstream: string): Promise<Nginx> => {
  const directory = await mkdtemp(path.join(tmpdir(), 'proxy-'));
  const port = await freePort();
  const file = path.join(directory, 'nginx.conf');
  const text = await readFile('deploy/proxy.conf', 'utf8');
  await writeFile(file, configuration(text, directory, port, new URL(upstream).host));
  await promisify(execFile)('nginx', ['-t', '-c', file, '-p', directory]);
  const nginx = spawn('nginx', ['-c', file, '-p', directory], { stdio: 'ignore' });
  const stop = async (): Promise<void> => {
    nginx.kill('SIGTERM');
    await once(nginx, 'exit');
    await rm(directory, { recursive: true });
  };
  // it writes its number when it listens; testing the configuration has left an empty file
  await untilFile(path.join(directory, 'pid'), (given) => given !== undefined && given !== '');
  return { base: `http://127.0.0.1:${port}`, directory, stop };
};
