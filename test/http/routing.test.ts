import { either as E } from 'fp-ts';
import { expect } from 'chai';
import { recordId } from '../../src/http/record/record-id.js';
import { routesOf } from '../../src/http/routes.js';
import { callerOf, idOf } from '../support/client.js';
import type { Described } from '../support/conforms.js';
import { errorIn } from '../support/error-in.js';
import { memoryPorts, routesOver } from '../support/memory-ports.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { docsPage } from '../support/docs-page.js';

describe('routing over HTTP', () => {
  let stack: MemoryStack;
  let as: string;
  let id: string;
  const call = callerOf(() => stack);
  before(async () => {
    stack = await startMemoryStack();
    as = stack.tokenFor('admin');
    id = idOf(await call('POST', '/business', { as, body: { name: 'a' } }));
  });
  after(() => stack.stop());

  const allowed = [
    ['/business', 'GET, HEAD, OPTIONS, POST'],
    ['/business/', 'GET, HEAD, OPTIONS, POST'],
    ['/business/x', 'DELETE, GET, HEAD, OPTIONS, PUT'],
    ['/business/x/events', 'GET, HEAD, OPTIONS'],
    ['/business/x/owner', 'DELETE, OPTIONS, POST, PUT'],
    ['/business/x/owner/y', 'DELETE, OPTIONS, PUT'],
    ['/document/', 'GET, HEAD, OPTIONS, POST'],
    ['/document/x', 'DELETE, GET, HEAD, OPTIONS, PUT'],
    ['/business/x/restore', 'OPTIONS, POST'],
    ['/business/x/revert/', 'OPTIONS, POST'],
    ['/document/x/restore', 'OPTIONS, POST'],
    ['/document/x/revert', 'OPTIONS, POST'],
    ['/document/x/events/', 'GET, HEAD, OPTIONS'],
    ['/document/x/file', 'GET, HEAD, OPTIONS, PUT'],
  ] as const;
  for (const [path, allow] of allowed)
    it(`takes ${allow} on ${path}, and says so to OPTIONS and to every other method`, async () => {
      const options = await call('OPTIONS', path);
      expect([options.status, options.text, options.headers.get('allow')]).to.deep.equal([204, '', allow]);
      const other = await call('PATCH', path, { as });
      expect([other.status, other.headers.get('allow'), errorIn(other.json)]).to.deep.equal([
        405,
        allow,
        { name: 'Method Not Allowed', message: `This path takes ${allow}`, status: 405, code: 'method_not_allowed' },
      ]);
    });

  for (const path of ['/', '/nothing', '/Business', '/business/x/owners', '/business//events/x', '/business/x/y/z'])
    it(`has nothing at ${path}`, async () => {
      expect(errorIn((await call('GET', path, { as })).json)).to.deep.equal({
        name: 'Not Found',
        message: 'There is nothing at this path',
        status: 404,
        code: 'no_such_route',
      });
    });

  for (const unknown of [
    'x',
    '5f9f1b9b9b9b9b9b9b9b9b9b',
    '%00',
    '%2F',
    '%ff',
    '%zz',
    "'%20or%201=1--",
    '..%2f..%2fetc',
    'ü',
    'x'.repeat(3000),
    '00000000-0000-7000-8000-000000000000',
    '00000000-0000-7000-8000-00000000000A',
  ])
    it(`knows no record under the identifier ${unknown.slice(0, 40)}`, async () => {
      const businesses = [
        call('GET', `/business/${unknown}`, { as }),
        call('GET', `/business/${unknown}?revision=0`, { as }),
        call('GET', `/business/${unknown}/events`, { as }),
        call('PUT', `/business/${unknown}`, { as, body: { name: 'a' } }),
        call('DELETE', `/business/${unknown}`, { as }),
        call('POST', `/business/${unknown}/owner`, { as, body: { user: 'a' } }),
        call('DELETE', `/business/${unknown}/owner/x`, { as }),
      ];
      const documents = [
        call('GET', `/document/${unknown}`, { as }),
        call('GET', `/document/${unknown}/events`, { as }),
        call('GET', `/document/${unknown}/file`, { as }),
        call('PUT', `/document/${unknown}`, { as, body: { name: 'a' } }),
      ];
      const shown = { name: 'Entity not found', message: 'Entity not found', status: 404 };
      for (const { json } of await Promise.all(businesses))
        expect(errorIn(json)).to.deep.equal({ ...shown, code: 'business_not_found' });
      for (const { json } of await Promise.all(documents))
        expect(errorIn(json)).to.deep.equal({ ...shown, code: 'document_not_found' });
    });

  it('answers HEAD as GET, without the body', async () => {
    const paths = [
      `/business/${id}`,
      '/business/',
      '/business?limit=1',
      `/business/${id}/events`,
      `/business/${id}/events?limit=1`,
      '/document',
      '/business/nobody',
      '/business?limit=x',
    ];
    for (const path of paths) {
      const [get, head] = [await call('GET', path, { as }), await call('HEAD', path, { as })];
      expect([head.status, head.text], path).to.deep.equal([get.status, '']);
      for (const name of ['etag', 'content-type', 'link', 'cache-control'])
        expect(head.headers.get(name), `${name} of ${path}`).to.equal(get.headers.get(name));
    }
  });

  it('protects every answer by the same headers, whatever it says', async () => {
    const replies = [
      await call('GET', `/business/${id}`, { as }),
      await call('GET', '/business', { as }),
      await call('GET', '/business'),
      await call('GET', '/nothing'),
      await call('OPTIONS', '/business'),
      await call('GET', `/business/${id}`, { as, headers: { 'if-none-match': '*' } }),
    ];
    for (const { headers } of replies)
      expect({
        type: headers.get('x-content-type-options'),
        frame: headers.get('x-frame-options'),
        referrer: headers.get('referrer-policy'),
        resource: headers.get('cross-origin-resource-policy'),
        content: headers.get('content-security-policy'),
        cache: headers.get('cache-control'),
        cors: headers.get('access-control-allow-origin'),
        powered: headers.get('x-powered-by'),
      }).to.deep.equal({
        type: 'nosniff',
        frame: 'DENY',
        referrer: 'no-referrer',
        resource: 'same-origin',
        content: "default-src 'none'; frame-ancestors 'none'",
        cache: 'private, no-cache',
        cors: null,
        powered: null,
      });
  });

  it('keeps a sane request id and replaces any other', async () => {
    const idFor = async (given: string): Promise<string | null> =>
      (await call('GET', '/business', { as, headers: { 'x-request-id': given } })).headers.get('x-request-id');
    expect(await idFor('job-7/step:2')).to.equal('job-7/step:2');
    for (const odd of ['', 'a b', 'x'.repeat(129), '<script>']) expect(await idFor(odd)).to.match(/^[0-9a-f-]{36}$/);
  });

  it('writes request id and trace into the event, and no malformed trace', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const metadataAfter = async (headers: Record<string, string>): Promise<Record<string, unknown>> => {
      const created = idOf(await call('POST', '/business', { as, body: { name: 'a' }, headers }));
      const { json } = await call('GET', `/business/${created}/events?proof=true`, { as });
      return (json as ReadonlyArray<{ metadata: Record<string, unknown> }>)[0]!.metadata;
    };
    const traced = await metadataAfter({ 'x-request-id': 'request-1', traceparent });
    expect([traced['$correlationId'], traced['traceparent']]).to.deep.equal(['request-1', traceparent]);
    expect(await metadataAfter({ traceparent: traceparent.replace(/7/, 'x') })).to.not.have.property('traceparent');
  });
});

describe('the identifier in a path', () => {
  it('is passed on only in the form in which identifiers are minted', () => {
    const minted = '01a1fd97-4f6d-745d-b70e-bff452293e1e';
    const notFound = E.left({ _tag: 'EntityNotFound' });
    expect(recordId(minted)).to.deep.equal(E.right(minted));
    for (const odd of [undefined, '', 'x', ` ${minted}`, `${minted}\n`, minted.toUpperCase(), minted.slice(1)])
      expect(recordId(odd)).to.deep.equal(notFound);
  });
});

describe('the route table', () => {
  it('names every operation once, and lets only links, health and description of the service go without a token', async () => {
    const { ports, close } = await memoryPorts();
    const readiness = () => Promise.resolve({ checks: {}, missing: [] });
    const routes = routesOf({
      docsPage,
      version: '0.0.0',
      entityRoutes: await routesOver(ports),
      readiness,
    });
    expect(new Set(routes.map(({ operation }) => operation)).size).to.equal(routes.length);
    const open = routes.filter(({ access }) => access !== 'token').map(({ path }) => path);
    expect(open).to.deep.equal([
      ...['/link/business/events/:ticket', '/link/document/file/:ticket', '/link/document/events/:ticket'],
      ...['/livez', '/readyz', '/openapi.json', '/openapi.yaml', '/docs', '/', '/docs/:asset'],
    ]);
    await close();
  });
});

describe('CORS', () => {
  let stack: MemoryStack;
  const call = callerOf(() => stack);
  before(async () => (stack = await startMemoryStack({ corsOrigins: ['https://app.example'] })));
  after(() => stack.stop());

  const preflight = (origin: string) =>
    call('OPTIONS', '/business', {
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,if-match,change-reason',
      },
    });

  it('lets a configured origin in, and says to it what it may read', async () => {
    const { status, headers } = await call('GET', '/business', { headers: { origin: 'https://app.example' } });
    expect(status).to.equal(401);
    expect(headers.get('access-control-allow-origin')).to.equal('https://app.example');
    expect(headers.get('vary')).to.equal('Origin, Accept');
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
  });

  it('lets its pages read every header that the API description names', async () => {
    const { headers } = await call('GET', '/business', { headers: { origin: 'https://app.example' } });
    const exposed = headers.get('access-control-expose-headers')?.split(',');
    const described = (await (await fetch(`${stack.baseUrl}/openapi.json`)).json()) as Described;
    const responses = Object.values(described.paths).flatMap((methods) =>
      Object.values(methods).flatMap((operation) => Object.values(operation.responses)),
    );
    const own = responses.flatMap((response) => ('$ref' in response ? [] : [response]));
    const all = [...own, ...Object.values(described.components.responses)];
    const named = new Set(all.flatMap((response) => Object.keys(response.headers ?? {})));
    expect(named.size).to.be.greaterThan(10);
    expect(exposed).to.include.members([...named, 'Allow', 'Retry-After', 'Content-Range']);
  });

  it('answers its preflight', async () => {
    const { status, headers } = await preflight('https://app.example');
    expect([status, headers.get('access-control-allow-origin')]).to.deep.equal([204, 'https://app.example']);
    expect(headers.get('access-control-allow-methods')).to.equal('GET,HEAD,POST,PUT,DELETE');
    expect(headers.get('access-control-allow-headers')).to.equal('authorization,if-match,change-reason');
    expect(headers.get('access-control-allow-credentials')).to.equal(null);
  });

  for (const origin of ['https://evil.example', 'https://app.example.evil.example', 'http://app.example', 'null'])
    it(`keeps ${origin} out`, async () => {
      const { status, headers } = await preflight(origin);
      expect([status, headers.get('access-control-allow-origin')]).to.deep.equal([204, null]);
      const plain = await call('GET', '/business', { headers: { origin } });
      expect(plain.headers.get('access-control-allow-origin')).to.equal(null);
      expect(plain.headers.get('vary')).to.equal('Origin, Accept');
    });
});
