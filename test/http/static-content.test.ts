import { once } from 'node:events';
import { type IncomingHttpHeaders, IncomingMessage, request, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import Koa from 'koa';
import { openApiRoutes } from '../../src/http/openapi/routes.js';
import type { RequestState } from '../../src/http/request-context.js';
import { type Described, makeConforms } from '../support/conforms.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { docsPage } from '../support/docs-page.js';

const parts = ['/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css', '/docs/init.js'];
const paths = ['/docs', ...parts, '/openapi.json', '/openapi.yaml'];

type Reply = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly bytes: Buffer };

describe('content that is served from memory', () => {
  let stack: MemoryStack;
  let conforms: ReturnType<typeof makeConforms>;

  /** The answer as it is on the wire, held to the description of the API; `fetch` would decode it. */
  const ask = async (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Reply> => {
    const asking = request(stack.baseUrl + path, { method, headers, agent: false }).end();
    // reason: Node documents the argument of 'response' so
    const [response] = (await once(asking, 'response')) as [IncomingMessage];
    const bytes = Buffer.concat(await response.toArray());
    const { statusCode: status = 0, headers: answered } = response;
    const text = answered['content-encoding'] === undefined ? bytes : bytes.length === 0 ? bytes : gunzipSync(bytes);
    const header = (name: string): string | null => answered[name.toLowerCase()]?.toString() ?? null;
    conforms({ method, path, status, header, text: text.toString() });
    return { status, headers: answered, bytes };
  };

  before(async () => {
    stack = await startMemoryStack();
    const description = await fetch(`${stack.baseUrl}/openapi.json`);
    conforms = makeConforms((await description.json()) as Described); // reason: it is what the description says it is
  });
  after(() => stack.stop());

  for (const path of paths) {
    it(`answers ${path} plain and compressed, each with a strong tag of its own`, async () => {
      const plain = await ask(path);
      const compressed = await ask(path, { 'accept-encoding': 'gzip' });
      expect([plain.status, compressed.status]).to.deep.equal([200, 200]);
      expect([plain.headers['content-encoding'], compressed.headers['content-encoding']]).to.deep.equal([
        undefined,
        'gzip',
      ]);
      expect(gunzipSync(compressed.bytes).equals(plain.bytes), 'the same content').to.equal(true);
      expect(compressed.bytes.length).to.be.lessThan(plain.bytes.length);
      for (const { headers } of [plain, compressed]) {
        expect(headers.etag).to.match(/^"[\w-]{43}"$/);
        expect([headers.vary, headers['cache-control']]).to.deep.equal(['Accept-Encoding', 'private, no-cache']);
      }
      expect(plain.headers.etag).not.to.equal(compressed.headers.etag);
    });

    it(`tells that ${path} has not changed, of the coding that is asked for`, async () => {
      const plain = (await ask(path)).headers.etag ?? '';
      const compressed = (await ask(path, { 'accept-encoding': 'gzip' })).headers.etag ?? '';
      const same = await ask(path, { 'accept-encoding': 'gzip', 'if-none-match': `"other", ${compressed}` });
      // a browser takes it for that of the page it has stored
      const policy = (await ask(path)).headers['content-security-policy'];
      expect(same.headers['content-security-policy']).to.equal(policy);
      expect([same.status, same.headers.etag, same.headers.vary, same.bytes.length]).to.deep.equal([
        304,
        compressed,
        'Accept-Encoding',
        0,
      ]);
      expect((await ask(path, { 'if-none-match': plain })).status).to.equal(304);
      expect((await ask(path, { 'if-none-match': compressed })).status).to.equal(200);
      expect((await ask(path, { 'accept-encoding': 'gzip', 'if-none-match': plain })).status).to.equal(200);
      expect((await ask(path, { 'if-none-match': '*' })).status).to.equal(304);
      expect((await ask(path, { 'if-none-match': 'no tag' })).status).to.equal(400);
      expect((await ask(path, { 'if-match': plain })).status).to.equal(200);
      expect((await ask(path, { 'if-match': '"other"' })).status).to.equal(412);
    });

    it(`answers HEAD of ${path} as GET, without the bytes`, async () => {
      for (const headers of [{}, { 'accept-encoding': 'gzip' }]) {
        const get = await ask(path, headers);
        const head = await ask(path, headers, 'HEAD');
        const told = ({ headers: answered }: Reply) =>
          ['content-length', 'content-type', 'content-encoding', 'etag', 'vary'].map((name) => answered[name]);
        expect([head.status, head.bytes.length, told(head)]).to.deep.equal([200, 0, told(get)]);
        expect(Number(get.headers['content-length'])).to.equal(get.bytes.length);
      }
    });
  }

  const accepted: ReadonlyArray<readonly [string, 'gzip' | undefined]> = [
    ['', undefined],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, deflate, br, zstd', 'gzip'],
    ['br;q=1.0, gzip;q=0.8, *;q=0.1', 'gzip'],
    ['gzip;q=0.001', 'gzip'],
    ['gzip ; q=1.0', 'gzip'],
    ['*', 'gzip'],
    ['identity;q=0, *', 'gzip'],
    ['identity;q=0.5, *;q=0.6', 'gzip'],
    ['identity', undefined],
    ['br, deflate', undefined],
    ['gzip;q=0', undefined],
    ['gzip;q=0.000', undefined],
    ['gzip;q=0, *', undefined],
    ['gzip;q=0.2, identity;q=0.5', undefined],
    ['gzip;q=zero', undefined],
    ['gzipped', undefined],
    // nothing is acceptable: none of ours either, so the plain bytes
    ['identity;q=0', undefined],
    ['*;q=0', undefined],
    [`${'x,'.repeat(4000)}gzip;q=`, undefined],
  ];
  for (const [header, coding] of accepted)
    it(`sends ${coding ?? 'plain bytes'} to who accepts ${JSON.stringify(header.slice(0, 40))}`, async () => {
      const reply = await ask('/docs/init.js', { 'accept-encoding': header });
      expect([reply.status, reply.headers['content-encoding']]).to.deep.equal([200, coding]);
    });

  it('keeps what else the answer varies by', async () => {
    const other = await startMemoryStack({ corsOrigins: ['https://app.example'] });
    const described = ['/openapi.json', '/openapi.yaml'];
    const asking = described.map((path) => fetch(other.baseUrl + path, { headers: { origin: 'https://app.example' } }));
    const answers = await Promise.all(asking);
    await other.stop();
    for (const { headers } of answers)
      expect([headers.get('vary'), headers.get('access-control-allow-origin')]).to.deep.equal([
        'Origin, Accept-Encoding',
        'https://app.example',
      ]);
  });

  it('is the same bytes in memory for every request, and for every application of a process', async () => {
    const koa = new Koa<RequestState>();
    const bodyOf = async (path: string, encoding: string): Promise<unknown> => {
      const incoming = new IncomingMessage(new Socket());
      incoming.headers['accept-encoding'] = encoding;
      const ctx = koa.createContext<RequestState>(incoming, new ServerResponse(incoming));
      const route = openApiRoutes([], '0.0.0', docsPage).find((row) => row.path === '/docs/:asset');
      if (route?.access !== 'public') throw new Error('the page has public parts');
      const params = { asset: path };
      const answer = await route.handle({ ctx, params, query: {} });
      return E.isRight(answer) ? answer.right.body : answer.left;
    };
    for (const encoding of ['gzip', 'identity']) {
      const [first, second] = [
        await bodyOf('swagger-ui-bundle.js', encoding),
        await bodyOf('swagger-ui-bundle.js', encoding),
      ];
      expect(first).to.be.instanceOf(Buffer).and.to.equal(second);
    }
  });
});
