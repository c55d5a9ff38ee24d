import { expect } from 'chai';
import { callerRoutes } from '../../src/http/caller/routes.js';
import { keysOf } from '../../src/http/fields/keys-of.js';
import { registry } from '../../src/entities/registry.js';
import { auditRoutes, readsRoutes } from '../../src/http/audit/routes.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import type { Read } from '../../src/read/access/access-record.js';
import { auditTable } from '../support/audit-table.js';
import { follow } from '../support/event-stream.js';
import { inMemoryFeed, ledgerRow, noChanges, queriesOver } from '../support/in-memory-ledger.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { makeMemoryAccessRecord } from '../support/memory-access-record.js';
import { memoryPorts, routesOver } from '../support/memory-ports.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';

/** The operations whose answers a user looks at all day. A new one that reads is recorded, or is named here. */
const PLAIN = ['listBusinesses', 'getBusiness', 'listDocuments', 'getDocument', 'getCaller', 'proveEvent'];

type Headers = Readonly<Record<string, string>>;

describe('the record of reads over HTTP', () => {
  let stack: MemoryStack;
  let recorded: Array<Read>;
  let outcome: Promise<boolean> | undefined;
  let business: string;
  let document: string;
  const record = makeMemoryAccessRecord();

  const send = (path: string, headers: Headers = {}, method = 'GET', body?: string | FormData) =>
    fetch(`${stack.baseUrl}${path}`, {
      method,
      headers: { Authorization: `Bearer ${stack.tokenFor('admin', 'alice')}`, ...headers },
      ...(body === undefined ? {} : { body }),
    });

  const statusOf = async (path: string, headers?: Headers, method?: string, body?: string): Promise<number> => {
    const response = await send(path, headers, method, body);
    await response.arrayBuffer();
    return response.status;
  };

  const made = async (path: string, body: FormData | object): Promise<string> => {
    const isForm = body instanceof FormData;
    const type: Headers = isForm ? {} : { 'Content-Type': 'application/json' };
    const response = await send(`/api/v1/${path}`, type, 'POST', isForm ? body : JSON.stringify(body));
    return ((await response.json()) as { readonly _id: string })._id;
  };

  before(async () => {
    const { page } = queriesOver(() => Promise.resolve([ledgerRow(0, { user: 'ann', refs: [] })]));
    const feed = inMemoryFeed(systemRuntime.clock, makeInMemoryEventStore(), registry);
    stack = await startMemoryStack({
      routes: [...auditRoutes({ page, nextPage: page }, feed, noChanges), ...readsRoutes(record)],
      recordRead: (read) => {
        recorded.push(read);
        return outcome;
      },
    });
    recorded = [];
    business = await made('business', { name: 'Acme' });
    const form = new FormData();
    form.set('name', 'a file');
    form.set('file', new Blob(['0123456789']), 'planted.txt');
    document = await made('document', form);
    expect(recorded).to.deep.equal([]);
  });
  after(() => stack.stop());
  beforeEach(() => {
    recorded = [];
    outcome = undefined;
  });

  /** Of a GET that is recorded: the operation, the kind of record, what was asked, and the form of the answer. */
  const reads = (): ReadonlyArray<
    readonly [path: string, headers: Headers, ...row: ReadonlyArray<string | undefined>]
  > => {
    const [ofBusiness, ofDocument] = [`/api/v1/business/${business}`, `/api/v1/document/${document}`];
    return [
      [`${ofBusiness}/events`, {}, 'listBusinessEvents', 'Business', '', 'json'],
      [`${ofBusiness}/events?limit=1&proof=true`, {}, 'listBusinessEvents', 'Business', 'limit=1&proof=true', 'json'],
      [`${ofBusiness}?revision=0`, {}, 'getBusiness', 'Business', 'revision=0', 'json'],
      [`${ofDocument}/events`, {}, 'listDocumentEvents', 'Document', '', 'json'],
      [`${ofDocument}?revision=0`, {}, 'getDocument', 'Document', 'revision=0', 'json'],
      [`${ofDocument}/file`, {}, 'getDocumentFile', 'Document', '', 'file'],
      [`${ofDocument}/file?revision=0`, {}, 'getDocumentFile', 'Document', 'revision=0', 'file'],
      [`${ofDocument}/file`, { Range: 'bytes=0-3' }, 'getDocumentFile', 'Document', '', 'range'],
      ['/audit/v1/events', {}, 'listAllEvents', undefined, '', 'json'],
      ['/audit/v1/events', { Accept: 'text/csv' }, 'listAllEvents', undefined, '', 'csv'],
      ['/audit/v1/events', { Accept: 'application/x-ndjson' }, 'listAllEvents', undefined, '', 'ndjson'],
      ['/audit/v1/reads?limit=5', {}, 'listReads', undefined, 'limit=5', 'json'],
      ['/audit/v1/reads?limit=5', { Accept: 'text/csv' }, 'listReads', undefined, 'limit=5', 'csv'],
    ];
  };

  it('has every read of history, of an earlier state and of a file, and every export, once', async () => {
    for (const [path, headers, operation, entityType, what, form] of reads()) {
      recorded = [];
      const response = await send(path, { ...headers, 'X-Request-Id': 'asked' });
      await response.arrayBuffer();
      expect(response.status, path).to.be.oneOf([200, 206]);
      const entity = entityType === 'Business' ? business : document;
      const of = entityType === undefined ? {} : { record: { entityType, entity } };
      const [{ at, ...row }, ...more] = recorded as [Read];
      expect(row, path).to.deep.equal({ user: 'alice', operation, ...of, what, form, requestId: 'asked' });
      expect([at instanceof Date, more]).to.deep.equal([true, []]);
    }
  });

  it('has a preview of what a revert or a restore would change, and not what is done', async () => {
    const json = { 'Content-Type': 'application/json' };
    for (const [of, id] of [
      ['business', business],
      ['document', document],
    ] as const)
      for (const [operation, body] of [
        ['revert', '{"revision":0}'],
        ['restore', undefined],
      ] as const) {
        recorded = [];
        const path = `/api/v1/${of}/${id}/${operation}`;
        expect(await statusOf(`${path}?preview=true`, json, 'POST', body)).to.equal(200);
        expect(await statusOf(path, json, 'POST', body)).to.equal(200);
        expect(await statusOf(`${path}?preview=false`, json, 'POST', body)).to.equal(200);
        const entityType = of === 'business' ? 'Business' : 'Document';
        expect(recorded.map(({ operation: name, record: what, what: asked }) => [name, what, asked])).to.deep.equal([
          [`${operation}${entityType}`, { entityType, entity: id }, 'preview=true'],
        ]);
      }
  });

  it('has a feed when it is opened', async () => {
    for (const path of ['/audit/v1/events', `/api/v1/business/${business}/events`]) {
      recorded = [];
      const following = await follow(`${stack.baseUrl}${path}`, stack.tokenFor('auditor', 'bob'));
      await following.until(({ event }) => event === 'caught-up');
      expect(recorded.map(({ user, form }) => [user, form])).to.deep.equal([['bob', 'feed']]);
      following.leave();
      await following.ended;
    }
  });

  it('has no plain GET, no list, nothing to HEAD, no 304 and no refusal', async () => {
    const ofBusiness = `/api/v1/business/${business}`;
    const tag = (await send(`${ofBusiness}/events`)).headers.get('etag') ?? '';
    const fileTag = (await send(`/api/v1/document/${document}/file`)).headers.get('etag') ?? '';
    recorded = [];
    for (const path of [ofBusiness, `/api/v1/document/${document}`, '/api/v1/business', '/api/v1/document'])
      expect(await statusOf(path), path).to.equal(200);
    for (const [path, headers] of reads()) expect(await statusOf(path, headers, 'HEAD'), path).to.be.oneOf([200, 206]);
    expect(await statusOf(`${ofBusiness}/events`, { 'If-None-Match': tag })).to.equal(304);
    expect(await statusOf(`/api/v1/document/${document}/file`, { 'If-None-Match': fileTag })).to.equal(304);
    const viewer = { Authorization: `Bearer ${stack.tokenFor('viewer', 'eve')}` };
    for (const [path] of reads().filter(([, , operation]) => operation !== 'getDocumentFile'))
      expect(await statusOf(path, viewer), path).to.equal(401);
    for (const [path, status] of [
      [`${ofBusiness}/events?limit=0`, 400],
      [`${ofBusiness}?revision=99`, 404],
      [`/api/v1/business/${document}/events`, 404],
      [`/api/v1/document/${document}/file?revision=x`, 400],
      ['/audit/v1/events?planted=1', 400],
      ['/audit/v1/reads?planted=1', 400],
    ] as const)
      expect(await statusOf(path), path).to.equal(status);
    expect(await statusOf(`/api/v1/document/${document}/file`, { Range: 'bytes=99-' })).to.equal(416);
    expect(recorded).to.deep.equal([]);
  });

  it('has of a filter that can name a person the name alone, and of an unknown parameter nothing', async () => {
    for (const name of ['user', 'ref', 'entity', 'reason'])
      expect(await statusOf(`/audit/v1/events?${name}=planted`), name).to.equal(200);
    expect(await statusOf('/audit/v1/reads?user=planted&entity=planted')).to.equal(200);
    expect(await statusOf(`/api/v1/document/${document}/file?planted=planted`)).to.equal(200);
    expect(recorded.map(({ what }) => what)).to.deep.equal(['user', 'ref', 'entity', 'reason', 'user&entity', '']);
    expect(JSON.stringify(recorded)).not.to.contain('planted');
  });

  it('keeps back each answer that waits for it, and has it refused as 503 where it is not recorded', async () => {
    for (const [path, headers] of reads()) {
      outcome = Promise.resolve(false);
      const refused = await send(path, headers);
      const { code } = (await refused.json()) as { readonly code: string };
      expect([refused.status, code, refused.headers.get('retry-after')], path).to.deep.equal([
        503,
        'read_not_recorded',
        '1',
      ]);
      outcome = Promise.resolve(true);
      expect(await statusOf(path, headers), path).to.be.oneOf([200, 206]);
    }
    outcome = Promise.resolve(false);
    expect(await statusOf(`/api/v1/business/${business}/events`, { Accept: 'text/event-stream' })).to.equal(503);
    expect(await statusOf(`/api/v1/business/${business}`)).to.equal(200);
  });

  it('has every operation that reads, but for those that are named', async () => {
    const { ports, close } = await memoryPorts();
    const limits = { rateLimit: undefined, maxUploadBytes: 1 };
    const entities = await routesOver(ports, { publicDocumentList: false, ...limits });
    const table = [...entities, ...callerRoutes(limits), ...auditTable()];
    await close();
    const isPlain = (route: (typeof table)[number]): boolean =>
      route.method === 'GET' && route.access === 'token' && route.recorded?.when !== 'always';
    const plain = table.filter(isPlain).map(({ operation }) => operation);
    expect(plain).to.have.members(PLAIN);
    const past = table.filter((route) => route.access === 'token' && route.recorded?.when === 'past');
    expect(past.map(({ operation }) => operation)).to.deep.equal(['getBusiness', 'getDocument']);
    const previewing = table.filter(
      ({ description: { query } }) => query !== undefined && keysOf(query).includes('preview'),
    );
    expect(previewing.map((route) => route.access === 'token' && route.recorded?.when)).to.deep.equal(
      Array(4).fill('preview'),
    );
  });
});
