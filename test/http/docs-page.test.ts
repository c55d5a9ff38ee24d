import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { parse } from 'yaml';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';

describe('the page of the API description', () => {
  let stack: MemoryStack;

  before(async () => {
    stack = await startMemoryStack();
  });

  after(() => stack.stop());

  const get = async (path: string) => {
    const response = await fetch(stack.baseUrl + path);
    return { response, text: await response.text() };
  };

  it('is open to everybody, and loads nothing but our own files, each of which is there', async () => {
    for (const path of ['/docs', '/docs/']) {
      const { response, text } = await get(path);
      expect([response.status, response.headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
      const [icon, ...links] = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link = '']) => link);
      // an empty one, so that no browser asks for /favicon.ico
      expect(icon).to.equal('data:,');
      const resolved = links.map((link) => new URL(link, `http://proxy/prefix${path}`).pathname);
      expect(resolved).to.deep.equal([
        '/prefix/docs/swagger-ui.css',
        '/prefix/docs/style.css',
        '/prefix/docs/swagger-ui-bundle.js',
        '/prefix/docs/init.js',
      ]);
      const parts = await Promise.all(resolved.map(async (link) => (await get(link.replace('/prefix', ''))).response));
      expect(parts.map((part) => [part.status, part.headers.get('content-type')])).to.deep.equal([
        [200, 'text/css; charset=utf-8'],
        [200, 'text/css; charset=utf-8'],
        [200, 'text/javascript; charset=utf-8'],
        [200, 'text/javascript; charset=utf-8'],
      ]);
    }
  });

  it('is where the root leads', async () => {
    const { status, headers } = await fetch(`${stack.baseUrl}/`, { redirect: 'manual' });
    expect([status, headers.get('location')]).to.deep.equal([302, 'docs']);
    expect((await fetch(stack.baseUrl)).url).to.equal(`${stack.baseUrl}/docs`);
  });

  it('is where the root leads behind a proxy that takes a prefix away', async () => {
    const proxy = createServer((incoming, outgoing) => {
      const { url = '', method, headers } = incoming;
      request(stack.baseUrl + url.replace('/prefix', ''), { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      }).end();
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const { port } = proxy.address() as AddressInfo; // reason: it listens on a port
    try {
      const { status, url } = await fetch(`http://127.0.0.1:${port}/prefix/`);
      expect([status, url]).to.deep.equal([200, `http://127.0.0.1:${port}/prefix/docs`]);
    } finally {
      proxy.close();
      proxy.closeAllConnections();
    }
  });

  it('may run its own scripts, which no other answer may', async () => {
    const policy = async (path: string) => (await get(path)).response.headers.get('content-security-policy');
    expect(await policy('/docs')).to.equal(
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    for (const path of ['/openapi.json', '/livez', '/api/v1/business/', '/docs/init.js'])
      expect(await policy(path)).to.equal("default-src 'none'; frame-ancestors 'none'");
  });

  it('gives no other file away', async () => {
    for (const name of ['package.json', '..%2Fpackage.json', 'index.html', '__proto__', 'constructor', ''])
      expect([name, (await get(`/docs/x/../${name}`)).response.status]).to.deep.equal([name, name === '' ? 200 : 404]);
  });

  it('describes what is really served', async () => {
    const { response, text } = await get('/openapi.json');
    expect([response.status, response.headers.get('content-type')]).to.deep.equal([
      200,
      'application/json; charset=utf-8',
    ]);
    const described = JSON.parse(text) as { openapi: string; servers: ReadonlyArray<{ url: string }> };
    expect(described.openapi).to.equal('3.1.0');
    const servers = described.servers.map(({ url }) => new URL(url, 'http://proxy/prefix/openapi.json').href);
    expect(servers).to.deep.equal(['http://proxy/prefix/']);
    expect((await get('/docs/init.js')).text).to.include("new URL('../openapi.json', document.currentScript.src)");
  });

  it('is described in YAML by the same document', async () => {
    const { response, text } = await get('/openapi.yaml');
    expect([response.status, response.headers.get('content-type')]).to.deep.equal([200, 'application/yaml']);
    expect(text).to.match(/^openapi: "3\.1\.0"\ninfo:\n {2}title: /);
    for (const version of ['1.1', '1.2'] as const)
      expect(parse(text, { version })).to.deep.equal(JSON.parse((await get('/openapi.json')).text));
  });
});
