import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect } from 'chai';
import { nextLink } from '../../src/http/response/link.js';
import { needs } from '../support/needs.js';
import { hasNginx, type Nginx, startNginx } from '../support/nginx.js';
import { untilFile } from '../support/until-file.js';

const CUT = '/api/v1/document';

/** A service that repeats its query in a `Link`, as the service does, and fails in the midst of a list. */
const startUpstream = async (): Promise<readonly [Server, string]> => {
  const server = createServer(({ url = '' }, response) => {
    if (url === CUT) {
      response.writeHead(200, { 'Content-Type': 'application/json' }).write(`["${'x'.repeat(100_000)}"`, () => {
        response.destroy();
      });
      return;
    }
    const query = Object.fromEntries(new URLSearchParams(url.split('?')[1]));
    response.writeHead(200, [...nextLink(query, { after: 'x' })]).end('there');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // reason: a server on a port has such an address
  return [server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
};

describe('the configuration of the proxy', () => {
  let proxy: Nginx;
  let upstream: Server;
  let stop: (() => Promise<void>) | undefined;

  before(async function () {
    needs(this, hasNginx, 'nginx');
    const started = await startUpstream();
    upstream = started[0];
    proxy = await startNginx(started[1]);
    stop = async () => {
      await proxy.stop();
      upstream.close();
    };
  });
  after(() => stop?.());

  it('lets the longest Link through, which repeats a query whose signs must be encoded', async () => {
    const query = `name=${'('.repeat(8000)}`;
    const sent = get(`${proxy.base}/api/v1/document?${query}`, { maxHeaderSize: 65_536 });
    // reason: that is what this event comes with
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).to.equal(200);
    expect(response.headers['link']).to.have.length.greaterThan(24_000);
  });

  it('cuts a list in whose midst the service has failed, compressed or not', async () => {
    for (const coding of ['gzip', 'identity']) {
      const asked = fetch(proxy.base + CUT, { headers: { 'accept-encoding': coding } });
      const outcome = await asked
        .then((response) => response.text())
        .then(
          () => 'whole',
          () => 'cut',
        );
      expect([coding, outcome]).to.deep.equal([coding, 'cut']);
    }
  });

  it('logs no query and no owner', async () => {
    for (const place of ['owner?ownerId=Private', 'owner/Private', 'owner/Private%20One/'])
      expect((await fetch(`${proxy.base}/api/v1/business/b-1/${place}`)).status).to.equal(200);
    const log = await untilFile(
      path.join(proxy.directory, 'access.log'),
      (text) => text?.split('business/b-1').length === 4,
    );
    expect(log).to.include('GET /api/v1/business/b-1/owner/:ownerId 200').and.not.to.include('Private');
  });

  it('logs no ticket of a link, nor what may be one at an address that was copied wrongly', async () => {
    const lines: ReadonlyArray<readonly [string, string]> = [
      ['/link/document/file/Secret.x', '/link/document/file/:ticket'],
      ['/link//business/events/Secret.x', '/link/business/events/:ticket'],
      ['/records/link/audit/events/Secret.x/', '/records/link/audit/events/:ticket'],
      ['/link/document/file/Secret.x/link/document/file/x', '/link/document/file/:ticket'],
      ['/link/Secret.x', '/link/:ticket'],
      ['/link/Secret.x/link/document/file/x', '/link/:ticket'],
      ['/link/document%2fSecret.x', '/link/:ticket'],
      ['/LINK/document/file/Secret.x', '/LINK/:ticket'],
    ];
    for (const [place] of lines) expect((await fetch(proxy.base + place)).status).to.equal(200);
    expect((await fetch(`${proxy.base}/api/v1/document/d-1/link`, { method: 'POST' })).status).to.equal(200);
    const log = await untilFile(
      path.join(proxy.directory, 'access.log'),
      (text) => text?.includes('POST /api/v1/document/d-1/link 200') === true,
    );
    expect(log).not.to.include('Secret');
    const logged = [...(log ?? '').matchAll(/ GET (\S*\/link\/\S*) 200/gi)].map(([, uri]) => uri);
    expect(logged).to.deep.equal(lines.map(([, uri]) => uri));
  });

  it('logs no query of a request that no service has answered', async () => {
    upstream.closeAllConnections();
    upstream.close();
    expect((await fetch(`${proxy.base}/api/v1/business/b-1/owner?ownerId=Private`)).status).to.equal(502);
    const log = await untilFile(path.join(proxy.directory, 'access.log'), (text) => text?.includes(' 502 ') === true);
    const errors = await readFile(path.join(proxy.directory, 'error.log'), 'utf8');
    expect(`${log}${errors}`).not.to.include('Private');
  });
});
