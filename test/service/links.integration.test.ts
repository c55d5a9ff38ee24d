import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { type Api, makeApi } from '../support/api.js';
import { type ComposedService, startComposed } from '../support/composed-service.js';
import { makeHeard } from '../support/news.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { outputWith, type ServiceProcess, startService, tokenFor } from '../support/service-process.js';

const KEY = 'a key that all processes share for links';

type Link = { readonly url: string };

describe('links for a while of a service', function () {
  this.timeout(startingPostgres + 180_000);
  let dataDir: string;
  let ends: Array<() => Promise<unknown>>;

  beforeEach(async () => {
    ends = [];
    dataDir = await mkdtemp(path.join(tmpdir(), 'links-'));
  });
  afterEach(async () => {
    await Promise.all(ends.map((end) => end()));
    await rm(dataDir, { recursive: true });
  });

  const start = async (env: Readonly<Record<string, string>>): Promise<ServiceProcess> => {
    const service = await startService({ dataDir, env });
    ends.push(() => end(service));
    return service;
  };
  const end = ({ kill, exited }: ServiceProcess): Promise<unknown> => {
    kill('SIGTERM');
    return exited;
  };
  const compose = async (env: Readonly<Record<string, string>>): Promise<ComposedService> => {
    const service = await startComposed({ dataDir, env });
    ends.push(service.stop);
    return service;
  };

  const documentAt = async (address: string): Promise<readonly [Api, string]> => {
    const api = makeApi(address, await tokenFor('admin', 'alice'));
    const { _id } = await api.json<{ readonly _id: string }>('POST', '/document', { name: 'Lease' });
    const authorization = `Bearer ${await tokenFor('admin', 'alice')}`;
    const headers = { authorization, 'content-type': 'text/plain' };
    const at = `${address}/api/v1/document/${_id}/file?originalName=a.txt`;
    expect((await fetch(at, { method: 'PUT', headers, body: '0123456789' })).status).to.equal(200);
    return [api, `/document/${_id}`];
  };
  const opened = async (address: string): Promise<readonly [number, string]> => {
    const response = await fetch(address);
    const text = await response.text();
    return [response.status, response.ok ? text : (JSON.parse(text) as { readonly code: string }).code];
  };

  it('go on after a restart with the key of its data directory, and are in no line, metric or trace', async () => {
    const { all: traces, hear, until } = makeHeard<string>();
    const collector = createServer((request, response) => {
      const parts: Array<Buffer> = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        hear(Buffer.concat(parts).toString('latin1'));
        response.end();
      });
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    ends.push(async () => {
      collector.closeAllConnections();
      collector.close();
      await once(collector, 'close');
    });
    // reason: a server on a port has such an address
    const { port } = collector.address() as AddressInfo;
    const env = {
      ...{ LOG_LEVEL: 'trace', OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_BSP_SCHEDULE_DELAY: '50' },
    };
    const first = await start(env);
    const [api, place] = await documentAt(first.address);
    const { url } = await api.json<Link>('POST', `${place}/link`);
    expect(await opened(first.address + url)).to.deep.equal([200, '0123456789']);
    await end(first);

    const second = await start(env);
    expect(await opened(second.address + url)).to.deep.equal([200, '0123456789']);
    expect(await opened(`${second.address}${url}x`)).to.deep.equal([404, 'link_not_valid']);
    const headers = { authorization: `Bearer ${await tokenFor('admin', 'alice')}` };
    const metrics = await (await fetch(`${second.address}/metrics`, { headers })).text();
    await until((bodies) => bodies.filter((body) => body.includes('/link/document/file/:ticket')).length > 1);
    await outputWith(second, '"status":404');
    await end(second);

    const key = path.join(dataDir, 'link-key');
    const [, signature = ''] = url.split('.');
    expect(signature).to.have.lengthOf(43);
    for (const said of [first.output(), second.output(), metrics, ...traces])
      for (const secret of [signature, url, (await readFile(key, 'utf8')).trim()]) expect(said).not.to.include(secret);
    expect((await stat(key)).mode & 0o777).to.equal(0o600);
  });

  it('are those of all processes with the same key, and of no other', async () => {
    const database = { DATABASE_URL: await freshDatabase() };
    const maker = await compose({ ...database, LINK_KEY: KEY });
    const [api, place] = await documentAt(maker.address);
    const { url } = await api.json<Link>('POST', `${place}/link`);
    // whose tokens are signed by another key since
    const same = await compose({
      ...database,
      LINK_KEY: KEY,
      JWT_SECRET: 'another secret, by which no token of before is signed',
    });
    expect(await opened(same.address + url)).to.deep.equal([200, '0123456789']);
    const other = await compose({ ...database, LINK_KEY: `${KEY}!` });
    expect(await opened(other.address + url)).to.deep.equal([404, 'link_not_valid']);
    const without = await compose(database);
    expect(await opened(without.address + url)).to.deep.equal([404, 'no_such_route']);
    expect(without.output()).to.include('no links for a while are made: set LINK_KEY_FILE');
    expect(await (await fetch(`${without.address}/openapi.json`)).text()).not.to.include('/link');
    for (const { output } of [maker, same, other, without]) expect(output()).not.to.include(url.split('.')[1]);
  });
});
