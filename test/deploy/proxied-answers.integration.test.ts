import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { type Call, call, idOf, type Reply } from '../support/client.js';
import { follow } from '../support/event-stream.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { needs } from '../support/needs.js';
import { hasNginx, type Nginx, startNginx } from '../support/nginx.js';

type Raw = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly bytes: Buffer };

const LONG = 'x'.repeat(5_000);

describe('the answers of the service behind the proxy', () => {
  let stack: MemoryStack;
  let proxy: Nginx;
  let token: string;
  let id: string;
  const stops: Array<() => Promise<void>> = [];

  before(async function () {
    needs(this, hasNginx, 'nginx');
    stack = await startMemoryStack();
    stops.unshift(async () => {
      stack.ports.feed.stop();
      await stack.stop();
    });
    proxy = await startNginx(stack.baseUrl);
    stops.unshift(proxy.stop);
    token = stack.tokenFor('admin');
  });
  beforeEach(async () => (id = idOf(await send('POST', '/document', { body: { name: 'Lease', description: LONG } }))));
  after(async () => {
    for (const stop of stops) await stop();
  });

  /** By a client that accepts gzip, and decodes it. */
  const send = (method: string, path: string, given: Call = {}): Promise<Reply> =>
    call({ ...stack, baseUrl: proxy.base }, method, path, { as: token, ...given });

  /** As it is on the wire. */
  const ask = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Raw> => {
    const given = { authorization: `Bearer ${token}`, ...headers };
    const asking = request(proxy.base + path, { headers: given, agent: false }).end();
    // reason: Node documents the argument of 'response' so
    const [response] = (await once(asking, 'response')) as [IncomingMessage];
    const bytes = Buffer.concat(await response.toArray());
    return { status: response.statusCode ?? 0, headers: response.headers, bytes };
  };

  it('are compressed for who accepts that, and say so', async () => {
    for (const path of [`/api/v1/document/${id}`, '/api/v1/document', `/api/v1/document/${id}/events`]) {
      const plain = await ask(path);
      const compressed = await ask(path, { 'accept-encoding': 'gzip' });
      expect([plain, compressed].map(({ headers }) => headers['content-encoding'])).to.deep.equal([undefined, 'gzip']);
      expect(gunzipSync(compressed.bytes).equals(plain.bytes), path).to.equal(true);
      expect(compressed.bytes.length).to.be.lessThan(plain.bytes.length / 5);
      for (const { headers } of [plain, compressed]) expect(headers.vary).to.include('Accept-Encoding');
    }
  });

  it('have tags that are weak where they are compressed, and good for the next change and the next look', async () => {
    const tagOf = ({ headers }: Reply): string | null => headers.get('etag');
    const first = await send('GET', `/document/${id}`);
    expect(tagOf(first)).to.equal('W/"0"');
    const change = (description: string, tag: string | null) =>
      send('PUT', `/document/${id}`, { body: { description }, headers: { 'if-match': tag ?? '' } });
    const second = await change(`${LONG}y`, tagOf(first));
    expect([second.status, tagOf(second)]).to.deep.equal([200, 'W/"1"']);
    expect((await change(`${LONG}z`, tagOf(first))).status).to.equal(412);
    const look = (tag: string) => send('GET', `/document/${id}`, { headers: { 'if-none-match': tag } });
    expect((await look('W/"1"')).status).to.equal(304);
    expect((await look('W/"0"')).status).to.equal(200);
    const unless = { body: { description: LONG }, headers: { 'if-none-match': 'W/"1"' } };
    expect((await send('PUT', `/document/${id}`, unless)).status).to.equal(412);
    expect((await change(LONG, '"1"')).status).to.equal(200);
  });

  it('take the conditions of the service else: *, a list, none, and what is malformed', async () => {
    const change = async (match: string | undefined) => {
      const headers: Record<string, string> = match === undefined ? {} : { 'if-match': match };
      return (await send('PUT', `/document/${id}`, { body: { description: null }, headers })).status;
    };
    const statuses = [];
    for (const match of ['*', '"7", "0"', 'W/"7", W/"0"', 'W/"7"', 'W/', 'w/"0"', undefined])
      statuses.push(await change(match));
    // what has been taken away once is no change again, so the revision stays the first one's
    expect(statuses).to.deep.equal([200, 412, 412, 412, 400, 400, 200]);
  });

  it('are the stored bytes of a file, whatever it is, with its strong tag and its ranges', async () => {
    const content = JSON.stringify({ of: LONG });
    const path = `/document/${id}/file`;
    const headers = { 'content-type': 'application/json' };
    await send('PUT', `${path}?originalName=a.json`, { headers, body: content });
    for (const at of [path, `${path}/`]) {
      const file = await ask(`/api/v1${at}`, { 'accept-encoding': 'gzip' });
      expect([file.bytes.toString(), file.headers['content-type']]).to.deep.equal([content, 'application/json']);
      expect(file.headers.etag).to.match(/^"[0-9a-f]{64}"$/);
    }
    const { etag = '' } = (await ask(`/api/v1${path}`)).headers;
    const range = { 'accept-encoding': 'gzip', range: 'bytes=0-3', 'if-range': etag };
    const part = await ask(`/api/v1${path}`, range);
    expect([part.status, part.bytes.toString()]).to.deep.equal([206, content.slice(0, 4)]);
  });

  it('are compressed once where the service does that itself', async () => {
    const { headers, bytes } = await ask('/openapi.json', { 'accept-encoding': 'gzip' });
    expect(headers['content-encoding']).to.equal('gzip');
    expect(JSON.parse(gunzipSync(bytes).toString())).to.include({ openapi: '3.1.0' });
    expect(headers.etag).to.match(/^"[\w-]{43}"$/);
    const again = await ask('/openapi.json', { 'accept-encoding': 'gzip', 'if-none-match': headers.etag ?? '' });
    expect(again.status).to.equal(304);
  });

  it('are a feed as it comes, plain', async () => {
    const url = `${proxy.base}/api/v1/document/${id}/events`;
    const following = await follow(url, token, { 'accept-encoding': 'gzip' });
    await following.until(({ event }) => event === 'caught-up');
    expect(following.headers.get('content-encoding')).to.equal(null);
    await send('PUT', `/document/${id}`, { body: { name: 'Lease 2' } });
    await following.until(3);
    following.leave();
    await following.ended;
  });

  it('set no cookie, which a page of others could have sent', async () => {
    for (const path of [`/api/v1/document/${id}`, '/docs', '/openapi.json', '/nothing'])
      expect((await ask(path)).headers['set-cookie'], path).to.equal(undefined);
  });
});
