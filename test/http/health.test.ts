import { expect } from 'chai';
import { errorIn } from '../support/error-in.js';
import { startMemoryStack, type MemoryStack, type MemoryStackOptions } from '../support/memory-stack.js';
import { call, callerOf, idOf } from '../support/client.js';
import { type Described, makeConforms } from '../support/conforms.js';

describe('health over HTTP', () => {
  let stack: MemoryStack;
  const start = async (options: MemoryStackOptions): Promise<void> => {
    stack = await startMemoryStack(options);
  };
  const get = async (path: string, as?: string) => {
    const headers = as === undefined ? {} : { authorization: `Bearer ${as}` };
    const response = await fetch(`${stack.baseUrl}${path}`, { headers });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  afterEach(() => stack.stop());

  it('says that the process lives and is ready, to anybody', async () => {
    await start({});
    for (const [path, text] of [
      ['/livez', '{"status":"alive"}'],
      ['/readyz', '{"status":"ready","checks":{"log":"ok"}}'],
    ] as const) {
      const reply = await get(path, 'not a token');
      expect([reply.status, reply.text]).to.deep.equal([200, text]);
    }
  });

  it('names the parts that are missing, and still lives', async () => {
    const checks = { log: 'failed', files: 'failed', readModels: 'ok' };
    await start({ readiness: () => Promise.resolve({ checks, missing: ['event store', 'documents'] }) });
    const reply = await get('/readyz');
    expect([reply.status, errorIn(JSON.parse(reply.text)), reply.headers.get('retry-after')]).to.deep.equal([
      503,
      {
        name: 'Service Unavailable',
        message: 'Not ready: event store, documents',
        status: 503,
        code: 'not_ready',
        checks,
      },
      '1',
    ]);
    expect((await get('/livez')).status).to.equal(200);
  });

  it('is ready with a warning, and says nothing of it where a part is missing', async () => {
    let missing: ReadonlyArray<string> = [];
    const checks = { log: 'ok' };
    await start({ readiness: () => Promise.resolve({ checks, missing, warnings: ['disk full: files'] }) });
    const description = await get('/openapi.json');
    // reason: the description says of itself what it is
    const conforms = makeConforms(JSON.parse(description.text) as Described);
    const ask = async () => {
      const { status, text, headers } = await get('/readyz');
      conforms({ method: 'GET', path: '/readyz', status, header: (name) => headers.get(name), text });
      return [status, JSON.parse(text) as unknown];
    };
    expect(await ask()).to.deep.equal([200, { status: 'ready', checks, warnings: ['disk full: files'] }]);
    missing = ['event log'];
    const [status, error] = await ask();
    expect([status, errorIn(error)]).to.deep.equal([
      503,
      { name: 'Service Unavailable', message: 'Not ready: event log', status: 503, code: 'not_ready', checks },
    ]);
  });

  it('shows figures to auditors and admins alone', async () => {
    await start({ metrics: () => Promise.resolve({ contentType: 'text/plain; version=0.0.4', body: 'up 1\n' }) });
    for (const role of ['auditor', 'admin']) {
      const reply = await get('/metrics', stack.tokenFor(role));
      expect([reply.status, reply.text, reply.headers.get('content-type')]).to.deep.equal([
        200,
        'up 1\n',
        'text/plain; version=0.0.4',
      ]);
    }
    for (const role of ['viewer', 'editor']) expect((await get('/metrics', stack.tokenFor(role))).status).to.equal(401);
    expect((await get('/metrics')).status).to.equal(401);
  });

  it('shows figures to a scraper with the configured token, which opens nothing else', async () => {
    const metricsToken = 'the-token-of-a-scraper/of+32.bytes==';
    const metrics = () => Promise.resolve({ contentType: 'text/plain', body: 'up 1\n' });
    await start({ metrics, metricsToken });
    expect((await get('/metrics', metricsToken)).status).to.equal(200);
    expect(stack.log.at(-1)?.fields).to.include({ operation: 'metrics', actor: 'METRICS_TOKEN' });
    expect((await get('/metrics', stack.tokenFor('admin'))).status).to.equal(200);
    for (const other of [metricsToken.slice(1), `${metricsToken}=`, metricsToken.toUpperCase(), 'METRICS_TOKEN'])
      expect((await get('/metrics', other)).status, other).to.equal(401);
    expect((await get('/metrics', stack.tokenFor('viewer'))).status).to.equal(401);
    expect((await get('/metrics')).status).to.equal(401);
    for (const path of ['/api/v1/business', '/api/v1/document', '/api/v1/business/x/events'])
      expect((await get(path, metricsToken)).status, path).to.equal(401);
  });

  it('has no figures where nothing gives them', async () => {
    await start({});
    expect((await get('/metrics', stack.tokenFor('admin'))).status).to.equal(404);
  });

  it('tells every request to whoever counts them', async () => {
    const seen: Array<{ operation: string; method: string; status: number; isTimed: boolean }> = [];
    await start({ observe: ({ seconds, ...rest }) => seen.push({ ...rest, isTimed: seconds > 0 && seconds < 60 }) });
    await call(stack, 'GET', '/business/x', { as: stack.tokenFor('viewer') });
    await call(stack, 'POST', '/nothing');
    expect(seen.filter(({ operation }) => operation !== 'openApi')).to.deep.equal([
      { operation: 'getBusiness', method: 'GET', status: 404, isTimed: true },
      { operation: 'none', method: 'POST', status: 404, isTimed: true },
    ]);
  });
});

describe('a public document list', () => {
  let stack: MemoryStack;
  afterEach(() => stack.stop());

  it('needs no token, but takes no bad one', async () => {
    stack = await startMemoryStack({ publicDocumentList: true });
    const get = callerOf(() => stack);
    expect((await get('GET', '/document/')).json).to.deep.equal([]);
    expect((await get('GET', '/document/', { as: 'bad' })).status).to.equal(401);
    expect((await get('GET', '/document/', { as: stack.tokenFor('nobody') })).status).to.equal(401);
    expect((await get('GET', '/document/', { as: stack.tokenFor('viewer') })).status).to.equal(200);
    for (const path of ['/document/x', '/business']) expect((await get('GET', path)).status).to.equal(401);
  });

  it('shows everybody what a viewer sees in it, and nothing else of a document', async () => {
    stack = await startMemoryStack({ publicDocumentList: true });
    const get = callerOf(() => stack);
    const id = idOf(await get('POST', '/document', { as: stack.tokenFor('editor'), body: { name: 'Lease' } }));
    for (const path of ['/document', '/document?sort=name']) {
      const seen = (await get('GET', path)).json;
      expect(seen).to.have.length(1);
      expect(seen).to.deep.equal((await get('GET', path, { as: stack.tokenFor('viewer') })).json);
    }
    for (const part of ['', '/file', '/events', '?revision=0'])
      expect((await get('GET', `/document/${id}${part}`)).status).to.equal(401);
  });
});
