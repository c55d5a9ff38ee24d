import { expect } from 'chai';
import { registry } from '../../src/entities/registry.js';
import { auditRoutes } from '../../src/http/audit/routes.js';
import { tlogRoutes } from '../../src/http/tlog/routes.js';
import { callerOf, idOf, type Reply } from '../support/client.js';
import { type Described, makeConforms } from '../support/conforms.js';
import { inMemoryFeed, ledgerRow, noChanges, queriesOver } from '../support/in-memory-ledger.js';
import { InMemorySealedTree } from '../support/in-memory-sealed-tree.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { FORM_TYPE, formOf, type Part } from '../support/multipart-form.js';
import { leafDataOf } from '../support/sealed-tree.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

type Fault = { readonly path: string; readonly message: string };
type Parameter = { readonly name: string; readonly in: string };
type Operation = { readonly method: string; readonly path: string; readonly query: ReadonlyArray<string> };

const strict = { prefer: 'handling=strict' };
const probes = ['/livez', '/readyz'];

const faultsOf = ({ status, json }: Pick<Reply, 'status' | 'json'>): ReadonlyArray<Fault> => {
  expect([status, (json as { code: string }).code]).to.deep.equal([400, 'validation_failed']);
  return (json as { errors: ReadonlyArray<Fault> }).errors;
};

const pathsOf = (reply: Pick<Reply, 'status' | 'json'>): ReadonlyArray<string> =>
  faultsOf(reply).map(({ path }) => path);

describe('names that an operation does not know', () => {
  let stack: MemoryStack;
  let as: string;
  let conforms: ReturnType<typeof makeConforms>;
  let operations: ReadonlyArray<Operation>;
  let business: string;
  const call = callerOf(() => stack);

  before(async () => {
    const tree = new InMemorySealedTree();
    tree.append([leafDataOf('unknown', 0)]);
    tree.sign();
    const { page } = queriesOver(() => Promise.resolve([ledgerRow(0, { user: 'ann', refs: [] })]));
    const feed = inMemoryFeed(systemRuntime.clock, makeInMemoryEventStore(), registry);
    stack = await startMemoryStack({
      routes: [...auditRoutes({ page, nextPage: page }, feed, noChanges, tree), ...tlogRoutes(tree)],
      metrics: () => Promise.resolve({ contentType: 'text/plain', body: '' }),
    });
    as = stack.tokenFor('admin');
    const described = (await (await fetch(`${stack.baseUrl}/openapi.json`)).json()) as Described;
    conforms = makeConforms(described);
    // a ticket that nobody gave out is 404 whatever comes with it
    const paths = Object.entries(described.paths).filter(([path]) => !path.startsWith('/link/'));
    operations = paths.flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const { parameters } = operation as unknown as { readonly parameters: ReadonlyArray<Parameter> };
        const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
        return { method: method.toUpperCase(), path: path.replace(/\{\w+\}/g, '0'), query };
      }),
    );
    business = `/business/${idOf(await call('POST', '/business', { as, body: { name: 'a' } }))}`;
  });
  after(() => stack.stop());

  /** Asks an operation of the table, and holds the answer to the description. */
  const ask = async ({ method, path }: Operation, query: string, headers: Readonly<Record<string, string>> = {}) => {
    const authorization = `Bearer ${as}`;
    const response = await fetch(`${stack.baseUrl}${path}${query}`, { method, headers: { authorization, ...headers } });
    const text = await response.text();
    const { status } = response;
    if (!path.startsWith('/tlog/tile'))
      conforms({ method, path, status, header: (name) => response.headers.get(name), text });
    return { status, json: text.startsWith('{') ? (JSON.parse(text) as unknown) : undefined };
  };

  describe('in a query', () => {
    it('are refused by every operation where another one takes them', async () => {
      const known = [...new Set(operations.flatMap(({ query }) => query))];
      expect(known).to.include.members(['at', 'limit', 'ownerId', 'user', 'since', 'tag', 'diff']);
      for (const operation of operations.filter(({ path }) => !probes.includes(path))) {
        const strays = known.filter((name) => !operation.query.includes(name));
        const query = `?nobody=x&${strays.map((name) => `${name}=x`).join('&')}`;
        const isAudit = operation.path.startsWith('/audit/');
        // a write has no body here, which has faults of its own
        expect(pathsOf(await ask(operation, query)), `${operation.method} ${operation.path}`).to.include.members(
          isAudit ? ['nobody', ...strays] : strays,
        );
        if (!isAudit) expect(pathsOf(await ask(operation, query))).not.to.include('nobody');
      }
    });

    it('are refused where auditors alone take them and their interface is switched off', async () => {
      const withoutAudit = await startMemoryStack();
      const events = `${business}/events?user=ann&ref=x&field=name`;
      const answer = await callerOf(() => withoutAudit)('GET', events, { as: withoutAudit.tokenFor('auditor') });
      await withoutAudit.stop();
      expect(pathsOf(answer)).to.deep.equal(['user', 'ref', 'field']);
    });

    it('are all refused by every operation in strict handling', async () => {
      for (const operation of operations.filter(({ path }) => !probes.includes(path)))
        expect(
          pathsOf(await ask(operation, '?nobody=x&__proto__=y&nobody=z', strict)),
          operation.path,
        ).to.include.members(['nobody', '__proto__']);
    });

    it('do not matter to probes', async () => {
      for (const path of probes)
        expect((await ask({ method: 'GET', path, query: [] }, '?limit=x&nobody=x', strict)).status).to.equal(200);
    });

    it('are named with all other faults of the request, and what the operation has', async () => {
      const headers = { 'if-none-match': 'x' };
      expect(faultsOf(await call('GET', `${business}?limit=1&revision=x&user=ann`, { as, headers }))).to.deep.equal([
        { path: 'revision', message: 'expected a whole number of at least 0, once' },
        { path: 'limit', message: 'is not a parameter of this operation; it has revision, at' },
        { path: 'user', message: 'is not a parameter of this operation; it has revision, at' },
        ...faultsOf(await call('GET', business, { as, headers })),
      ]);
      const body = { name: 5, nope: 1 };
      const written = await call('PUT', `${business}?at=x&no=1`, { as, headers: { ...headers, ...strict }, body });
      expect(pathsOf(written)).to.deep.equal(['at', 'no', 'If-None-Match', 'name', 'nope']);
    });

    it('come with the one that is meant, where they are only written otherwise', async () => {
      const hints = async (path: string, names: ReadonlyArray<string>) => {
        const query = names.map((name) => `${encodeURIComponent(name)}=x`).join('&');
        const faults = faultsOf(await call('GET', `${path}?${query}`, { as, headers: strict }));
        return faults.map(({ message }) => /; did you mean (.*)\?$/.exec(message)?.[1]);
      };
      const written = ['tag[]', 'tag[0]', 'Type', 'entity_type', 'ENTITY-TYPE', 'uploadedby', 'createdSince[]'];
      const meant = ['tag', 'tag', 'type', 'entityType', 'entityType', 'uploadedBy', 'createdSince'];
      expect(await hints('/document', written)).to.deep.equal(meant);
      const others = ['tags', 'tga', 'tag[x]', 'tag[]x', '[]', '_', 'entity type'];
      expect(await hints('/document', others)).to.deep.equal(others.map(() => undefined));
      const body = { display_name: 'a', Name: 'b', nam: 'c' };
      const faults = faultsOf(await call('PUT', business, { as, headers: strict, body }));
      expect(faults.map(({ message }) => /; did you mean (.*)\?$/.exec(message)?.[1])).to.deep.equal([
        'displayName',
        'name',
        undefined,
      ]);
    });

    it('keep a change from being carried out', async () => {
      const before = await call('GET', business, { as });
      await call('PUT', `${business}?limit=1`, { as, body: { name: 'changed' } });
      await call('DELETE', `${business}?at=x`, { as });
      const after = await call('GET', business, { as });
      expect([after.status, after.text]).to.deep.equal([200, before.text]);
    });

    it('are ignored where nobody takes them, also where the client asks for lenient handling', async () => {
      for (const prefer of ['', 'handling=lenient', 'return=minimal']) {
        const { status, headers } = await call('GET', `${business}?nobody=1`, { as, headers: { prefer } });
        expect([status, headers.get('preference-applied')]).to.deep.equal([200, null]);
      }
    });

    it('are no fault where they are the same owner as in the path', async () => {
      await call('POST', `${business}/owner`, { as, body: { user: 'bob' } });
      const { status } = await call('PUT', `${business}/owner/bob?ownerId=bob`, { as, headers: strict, body: {} });
      expect(status).to.equal(200);
    });

    it('are not told to who may not use the operation', async () => {
      expect((await call('GET', `${business}?limit=1`, {})).status).to.equal(401);
      const viewer = stack.tokenFor('viewer');
      expect((await call('PUT', `${business}?limit=1`, { as: viewer, headers: strict, body: {} })).status).to.equal(
        401,
      );
    });

    it('are refused in a listing of events where they mean something in a feed alone', async () => {
      expect(faultsOf(await call('GET', `${business}/events?after=0`, { as }))).to.deep.equal([
        { path: 'after', message: 'is possible in a feed only' },
      ]);
    });
  });

  describe('in a body', () => {
    const form = (...parts: ReadonlyArray<Part>) => ({
      as,
      body: formOf({ name: 'file', filename: 'a.txt', content: 'x' }, { name: 'name', content: 'a' }, ...parts),
      headers: { 'content-type': FORM_TYPE },
    });

    it('are ignored unless the client asks for strict handling, and then all named', async () => {
      const body = { name: 'a', displayNmae: 'A', phon: '1', file: 'x' };
      expect((await call('POST', '/business', { as, body })).status).to.equal(200);
      const refused = await call('POST', '/business', { as, body, headers: strict });
      expect(pathsOf(refused)).to.deep.equal(['displayNmae', 'phon', 'file']);
      expect(faultsOf(refused)[0]?.message).to.match(
        /^is not a field of this operation; it has name, displayName, .*, country, displayname$/,
      );
      expect(refused.headers.get('preference-applied')).to.equal(null);
    });

    it('are ignored where a record shows them, so that what was answered may be sent back', async () => {
      const document = `/document/${idOf(await call('POST', '/document', form()))}`;
      for (const path of [business, document]) {
        const { json } = await call('GET', path, { as });
        const back = await call('PUT', path, { as, body: json, headers: strict });
        expect([back.status, back.json, back.headers.get('preference-applied')]).to.deep.equal([
          200,
          json,
          'handling=strict',
        ]);
      }
      const owner = { user: 'eve', title: null, equity: null };
      expect((await call('POST', `${business}/owner`, { as, body: owner, headers: strict })).json).to.deep.equal(owner);
    });

    it('are refused beside a change and a removal of an owner', async () => {
      await call('POST', `${business}/owner`, { as, body: { user: 'dan' } });
      const body = { ownerId: 'dan', share: 1 };
      for (const method of ['PUT', 'DELETE']) {
        expect(pathsOf(await call(method, `${business}/owner`, { as, body, headers: strict }))).to.deep.equal([
          'share',
        ]);
        expect((await call(method, `${business}/owner`, { as, body })).status).to.equal(200);
      }
    });

    it('are refused in a form, beside its other faults', async () => {
      const strays = [
        { name: 'nmae', content: 'x' },
        { name: '__proto__', content: 'x' },
        { name: 'taggs[]', content: 'x' },
        { name: 'type', content: 'x' },
      ];
      const { headers, ...given } = form(...strays);
      const refused = await call('POST', '/document', { ...given, headers: { ...headers, ...strict } });
      expect(pathsOf(refused)).to.include.members(['type', 'nmae', 'taggs']);
      expect(pathsOf(refused)).not.to.include('file');
    });

    it('are no fault in a form where it has an empty file, or what the record shows', async () => {
      const { headers, ...given } = form({ name: 'uploadedBy', content: 'x' }, { name: 'tags[]', content: 'x' });
      const created = await call('POST', '/document', { ...given, headers: { ...headers, ...strict } });
      expect([created.status, created.headers.get('preference-applied')]).to.deep.equal([200, 'handling=strict']);
      const empty = formOf({ name: 'file', content: '' }, { name: 'description', content: 'x' });
      const path = `/document/${idOf(created)}`;
      const updated = await call('PUT', path, { as, body: empty, headers: { ...headers, ...strict } });
      expect(updated.status).to.equal(200);
    });

    it('are named up to a hundred, and counted beyond', async () => {
      const many = Array.from({ length: 20_000 }, (_, n) => [`k${n}`, 1] as const);
      const body = { name: 'a', ...Object.fromEntries(many) };
      const refused = await call('POST', '/business', { as, body, headers: strict });
      const faults = faultsOf(refused);
      expect([faults.length, faults[99]?.path, faults.at(-1)]).to.deep.equal([
        101,
        'k99',
        { path: '', message: 'has 19900 more such names' },
      ]);
      expect(refused.text.length).to.be.lessThan(50_000);
    });
  });

  it('are told on every answer to be none in strict handling', async () => {
    for (const [method, path] of [
      ['GET', '/business?limit=1'],
      ['HEAD', business],
      ['GET', `${business}/events`],
    ] as const) {
      const { status, headers } = await call(method, path, { as, headers: strict });
      expect([status, headers.get('preference-applied')]).to.deep.equal([200, 'handling=strict']);
    }
    const { headers } = await call('GET', business, { as });
    const tag = headers.get('etag') ?? '';
    const unchanged = await call('GET', business, { as, headers: { ...strict, 'if-none-match': tag } });
    expect([unchanged.status, unchanged.headers.get('preference-applied')]).to.deep.equal([304, 'handling=strict']);
    const page = await fetch(`${stack.baseUrl}/docs`, { headers: strict });
    await page.arrayBuffer();
    expect(page.headers.get('preference-applied')).to.equal('handling=strict');
  });
});
