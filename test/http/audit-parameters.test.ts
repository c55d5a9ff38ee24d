import { expect } from 'chai';
import { registry } from '../../src/entities/registry.js';
import { auditRoutes } from '../../src/http/audit/routes.js';
import { AUDIT_API } from '../../src/http/paths.js';
import type { Route } from '../../src/http/route.js';
import { type Described, makeConforms } from '../support/conforms.js';
import { inMemoryFeed, ledgerRow, noChanges, queriesOver } from '../support/in-memory-ledger.js';
import { InMemorySealedTree } from '../support/in-memory-sealed-tree.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { leafDataOf } from '../support/sealed-tree.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

type Operation = { readonly description: string; readonly responses: object };
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

describe('a parameter that is not one of the interface for auditors', () => {
  let stack: MemoryStack;
  let table: ReadonlyArray<Route>;
  let document: Described;

  before(async () => {
    const tree = new InMemorySealedTree();
    tree.append([leafDataOf('parameters', 0)]);
    tree.sign();
    const rows = queriesOver(() => Promise.resolve([ledgerRow(0, { user: 'ann', refs: [] })]));
    const feed = inMemoryFeed(systemRuntime.clock, makeInMemoryEventStore(), registry);
    table = auditRoutes({ page: rows.page, nextPage: rows.page }, feed, noChanges, tree);
    stack = await startMemoryStack({ routes: table });
    document = (await (await fetch(`${stack.baseUrl}/openapi.json`)).json()) as Described;
  });
  after(() => stack.stop());

  const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Response> =>
    fetch(`${stack.baseUrl}${path}`, {
      method,
      headers: { Authorization: `Bearer ${stack.tokenFor('auditor')}`, ...headers },
    });

  const faults = async (path: string, headers?: Readonly<Record<string, string>>): Promise<ReadonlyArray<string>> => {
    const response = await get(path, headers);
    expect(response.status, path).to.equal(400);
    const text = await response.text();
    const { status } = response;
    makeConforms(document)({ method: 'GET', path, status, header: (name) => response.headers.get(name), text });
    const { name, errors } = JSON.parse(text) as {
      name: string;
      errors: ReadonlyArray<{ path: string; message: string }>;
    };
    expect(name).to.equal('Validation Error');
    for (const { message } of errors) expect(message).to.match(/^is not a parameter of this operation; /);
    return errors.map((fault) => fault.path);
  };

  it('is refused by every operation, which says so in the description', async () => {
    const { paths } = document as unknown as { readonly paths: Paths }; // reason: the test of OpenAPI holds it to that
    expect(table.length).to.be.greaterThan(1);
    for (const route of table) {
      expect(route.path.startsWith(`${AUDIT_API}/`)).to.equal(true);
      const path = route.path.replace(':index', '0');
      expect((await get(path)).status, path).to.equal(200);
      expect(await faults(`${path}?usr=bob&proof=true&usr=eve`)).to.deep.equal(['usr', 'proof']);
      const operation = paths[route.path.replace(':index', '{index}')]?.['get'];
      expect(operation?.description).to.match(/Any other parameter of the query is 400\.$/);
      expect(operation?.responses).to.have.property('400');
    }
  });

  it('is refused in each form, in a feed, and by HEAD', async () => {
    for (const Accept of ['application/json', 'application/x-ndjson', 'text/csv', 'text/event-stream']) {
      expect(await faults(`${AUDIT_API}/events?usr=bob&user=ann`, { Accept })).to.deep.equal(['usr']);
      expect((await get(`${AUDIT_API}/events?usr=bob`, { Accept }, 'HEAD')).status).to.equal(400);
    }
    // of a proof, whether or not there is such an event
    expect(await faults(`${AUDIT_API}/events/7/proof?user=ann`)).to.deep.equal(['user']);
    expect((await get(`${AUDIT_API}/events/7/proof`)).status).to.equal(404);
  });

  it('is named once, beside those that are malformed, with those that there are and nothing of the value', async () => {
    const query = 'usr=secret&user=%00&User=x&usr=y&limit=0&from=1&proof=true&__proto__=3&=4';
    const response = await get(`${AUDIT_API}/events?${query}`);
    const { errors } = (await response.json()) as { errors: ReadonlyArray<{ path: string; message: string }> };
    expect(errors.map(({ path }) => path)).to.deep.equal([
      ...['user', 'limit', 'usr', 'User', 'from', 'proof', '__proto__', ''],
    ]);
    expect(errors[2]?.message).to.equal(
      'is not a parameter of this operation; it has user, entityType, entity, name, field, ref, reason, value, ' +
        'since, until, diff, after, limit, order, bom',
    );
  });

  it('is told from one that is possible together with entity only, which is named in every form and by HEAD', async () => {
    const alone = [
      ['diff=true', ['diff']],
      ['value=x', ['value']],
      ['value=&diff=true', ['value', 'diff']],
    ] as const;
    for (const [query, named] of alone)
      for (const Accept of ['application/json', 'application/x-ndjson', 'text/csv', 'text/event-stream']) {
        const path = `${AUDIT_API}/events?user=ann&${query}`;
        const response = await get(path, { Accept });
        const { errors } = (await response.json()) as { errors: ReadonlyArray<{ path: string; message: string }> };
        expect(errors, path).to.deep.equal(
          named.map((each) => ({ path: each, message: 'is possible together with entity only' })),
        );
        expect((await get(path, { Accept }, 'HEAD')).status).to.equal(400);
      }
    expect((await get(`${AUDIT_API}/events?diff=false`)).status).to.equal(200);
    const inFeed = await get(`${AUDIT_API}/events?entity=x&diff=true`, { Accept: 'text/event-stream' });
    expect(await inFeed.json()).to.deep.include({ errors: [{ path: 'diff', message: 'is not possible in a feed' }] });
  });

  it('is told from words of a reason that are none, or too many', async () => {
    for (const reason of ['', '!?', '%20', '%00a', 'a'.repeat(256), 'a&reason=b']) {
      const response = await get(`${AUDIT_API}/events?reason=${reason}`);
      const { errors } = (await response.json()) as { errors: ReadonlyArray<{ path: string }> };
      expect([response.status, errors.map(({ path }) => path)], reason).to.deep.equal([400, ['reason']]);
    }
    expect((await get(`${AUDIT_API}/events?reason=${'a'.repeat(255)}`)).status).to.equal(200);
  });

  it('is refused where it is the name of a header, as it would be taken for that', async () => {
    expect(await faults(`${AUDIT_API}/events?Last-Event-ID=0`, { Accept: 'text/event-stream' })).to.deep.equal([
      'Last-Event-ID',
    ]);
  });

  it('is not named to who may not ask', async () => {
    expect((await get(`${AUDIT_API}/events?usr=bob`, { Authorization: '' })).status).to.equal(401);
    const viewer = { Authorization: `Bearer ${stack.tokenFor('viewer')}` };
    expect((await get(`${AUDIT_API}/events?usr=bob`, viewer)).status).to.equal(401);
  });

  it('is ignored by the operations on records, as before', async () => {
    const description = JSON.stringify(document.paths['/api/v1/business']);
    expect(description).not.to.include('Any other parameter');
    expect((await get('/api/v1/business?usr=bob')).status).to.equal(200);
  });
});
