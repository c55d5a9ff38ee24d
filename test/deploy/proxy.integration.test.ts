import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { nextLink } from '../../src/http/response/link.js';
import { freePort } from '../../src/infrastructure/embedded/server/acquire-server.js';
import { needs } from '../support/needs.js';
import { untilFile } from '../support/until-file.js';

/** A service that repeats its query in a `Link`, as the service does. */
const startUpstream = async (): Promise<readonly [Server, number]> => {
  const server = createServer(({ url = '' }, response) => {
    const query = Object.fromEntries(new URLSearchParams(url.split('?')[1]));
    response.writeHead(200, [...nextLink(query, { after: 'x' })]).end('there');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // reason: a server on a port has such an address
  return [server, (server.address() as AddressInfo).port];
};

/** The file for an nginx outside of the containers: other addresses and logs. Debian's is too old for `resolve`. */
const configuration = (text: string, directory: string, port: number, upstream: number): string => {
  const http = text
    .replace('${NGINX_RESOLVER}', '127.0.0.1')
    .replaceAll(/api[12]:3000 resolve/g, `127.0.0.1:${upstream}`)
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replaceAll('/var/log/nginx', directory);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${directory};`);
  return [
    `pid ${directory}/pid; error_log ${directory}/main.log; worker_processes 1; daemon off; events {}`,
    `http { access_log off; ${places.join(' ')}\n${http} }`,
  ].join('\n');
};

const hasNginx = spawnSync('nginx', ['-v']).status === 0;

describe('the configuration of the proxy', () => {
  let directory: string;
  let base: string;
  let upstream: Server;
  let stop: (() => Promise<unknown>) | undefined;

  before(async function () {
    needs(this, hasNginx, 'nginx');
    directory = await mkdtemp(path.join(tmpdir(), 'proxy-'));
    const started = await startUpstream();
    upstream = started[0];
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    const file = path.join(directory, 'nginx.conf');
    await writeFile(file, configuration(await readFile('deploy/proxy.conf', 'utf8'), directory, port, started[1]));
    await promisify(execFile)('nginx', ['-t', '-c', file, '-p', directory]);
    const nginx = spawn('nginx', ['-c', file, '-p', directory], { stdio: 'ignore' });
    stop = async () => {
      nginx.kill('SIGTERM');
      await once(nginx, 'exit');
      upstream.close();
      await rm(directory, { recursive: true });
    };
    // it writes its number when it listens; testing the configuration has left an empty file
    await untilFile(path.join(directory, 'pid'), (text) => text !== undefined && text !== '');
  });
  after(() => stop?.());

  it('lets the longest Link through, which repeats a query whose signs must be encoded', async () => {
    const query = `name=${'('.repeat(8000)}`;
    const sent = get(`${base}/api/v1/document?${query}`, { maxHeaderSize: 65_536 });
    // reason: that is what this event comes with
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).to.equal(200);
    expect(response.headers['link']).to.have.length.greaterThan(24_000);
  });

  it('logs no query and no owner', async () => {
    for (const place of ['owner?ownerId=Private', 'owner/Private', 'owner/Private%20One/'])
      expect((await fetch(`${base}/api/v1/business/b-1/${place}`)).status).to.equal(200);
    const log = await untilFile(path.join(directory, 'access.log'), (text) => text?.split('business/b-1').length === 4);
    expect(log).to.include('GET /api/v1/business/b-1/owner/:ownerId 200').and.not.to.include('Private');
  });

  it('logs no query of a request that no service has answered', async () => {
    upstream.closeAllConnections();
    upstream.close();
    expect((await fetch(`${base}/api/v1/business/b-1/owner?ownerId=Private`)).status).to.equal(502);
    const log = await untilFile(path.join(directory, 'access.log'), (text) => text?.includes(' 502 ') === true);
    const errors = await readFile(path.join(directory, 'error.log'), 'utf8');
    expect(`${log}${errors}`).not.to.include('Private');
  });
});
