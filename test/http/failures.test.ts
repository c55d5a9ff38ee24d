import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import { expect } from 'chai';
import type { RowsFreshness } from '../../src/read/row-or-fold.js';
import { type EventStore, StoreUnavailable } from '../../src/event-sourcing/event-store.js';
import { withBusinessRejections } from '../../src/http/business/rejections.js';
import { withDocumentRejections } from '../../src/http/document/rejections.js';
import type { ErrorCode } from '../../src/http/problem/error-codes.js';
import type { Failure } from '../../src/http/problem/failure.js';
import { problemOf } from '../../src/http/problem/problem-of.js';
import { callerOf, idOf } from '../support/client.js';
import { errorIn } from '../support/error-in.js';
import { type MemoryPorts, replacing } from '../support/memory-ports.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { pageOf } from '../support/page-of.js';

const internal = (code: ErrorCode) => ({
  ...{ status: 500, name: 'Internal Server Error', message: 'Internal Server Error' },
  code,
});
const away = {
  status: 503,
  name: 'Service Unavailable',
  message: 'The service cannot answer right now; try again shortly',
  headers: ['Retry-After', '1'],
};
const cause = new Error('secret');
const stored = {
  id: '',
  type: '',
  data: 'secret',
  metadata: '',
  stream: 'business-x',
  revision: 1n,
  position: 1n,
} as const;

describe('the failure table', () => {
  const failures: ReadonlyArray<readonly [Failure, unknown]> = [
    [{ _tag: 'Unexpected', cause }, internal('internal_error')],
    [{ _tag: 'AppendRejected', reason: 'secret' }, internal('append_rejected')],
    [{ _tag: 'UndecodableEvent', stored, reason: 'secret' }, internal('event_unreadable')],
    [new StoreUnavailable('secret', cause), { ...away, code: 'log_unavailable' }],
    [
      { _tag: 'ReadModelUnavailable', cause },
      { ...away, code: 'read_model_unavailable' },
    ],
    [
      { _tag: 'SearchTooSlow' },
      {
        ...away,
        code: 'search_too_slow',
        message:
          'The search took too long; name more letters or another filter, so that it finds less, or try again later',
        headers: ['Retry-After', '30'],
      },
    ],
    [
      { _tag: 'StorageUnavailable', cause },
      { ...away, code: 'file_storage_unavailable' },
    ],
    [
      { _tag: 'FileUnavailable', cause },
      { ...away, code: 'file_storage_unavailable' },
    ],
    [{ _tag: 'FileMissing', reason: 'secret' }, internal('file_lost')],
    [{ _tag: 'FileTooShort', reason: 'secret' }, internal('file_damaged')],
    [{ _tag: 'FileDiffers', reason: 'secret' }, internal('file_damaged')],
    [
      { _tag: 'KeysUnavailable', cause },
      { ...away, code: 'keys_unavailable' },
    ],
    [
      { _tag: 'StreamContended', stream: 'business-x' },
      { ...away, code: 'record_contended' },
    ],
    [
      { _tag: 'HistoryCut', stream: 'business-x', shown: 2n, newest: 1n },
      {
        ...away,
        code: 'history_cut',
        message:
          'The history of this record is shorter than its row: events are missing from the log. Nothing is written to it ' +
          'until the operator of the service has looked into this',
        headers: ['Retry-After', '60'],
      },
    ],
    [
      { _tag: 'NotReady', missing: ['log', 'files'], checks: { log: 'failed' } },
      { ...away, message: 'Not ready: log, files', code: 'not_ready', checks: { log: 'failed' } },
    ],
    [
      { _tag: 'TooManyRequests', retryAfter: 7 },
      {
        status: 429,
        name: 'Too Many Requests',
        message: 'Too many requests; try again later',
        code: 'too_many_requests',
        headers: ['Retry-After', '7'],
      },
    ],
    [
      { _tag: 'RangeNotSatisfiable', size: 3 },
      {
        status: 416,
        name: 'Range Not Satisfiable',
        message: 'The file has 3 bytes',
        code: 'range_not_satisfiable',
        headers: ['Content-Range', 'bytes */3'],
      },
    ],
  ];
  for (const [failure, problem] of failures)
    it(`says of ${failure._tag} nothing but what a client may know`, () => {
      expect(problemOf(failure)).to.deep.equal(problem);
    });
});

describe('what a decider rejects', () => {
  const conflict = (code: ErrorCode, message: string) => ({ status: 409, name: 'Conflict', message, code });

  it('has the meaning that its kind of entity gives it', async () => {
    const business = withBusinessRejections(() => Promise.resolve(E.left({ _tag: 'BusinessAlreadyExists' })));
    const document = withDocumentRejections(() => Promise.resolve(E.left({ _tag: 'DocumentAlreadyExists' })));
    const failures = [await business({}), await document({})].map((outcome) => E.isLeft(outcome) && outcome.left);
    expect(failures.map((failure) => failure !== false && problemOf(failure))).to.deep.equal([
      conflict('business_exists', 'The business exists already'),
      conflict('document_exists', 'The document exists already'),
    ]);
  });
});

type Replace = (ports: MemoryPorts) => Partial<MemoryPorts>;

describe('failures over HTTP', () => {
  let stack: MemoryStack;
  const call = callerOf(() => stack);
  const start = async (ports: Replace): Promise<string> => {
    stack = await startMemoryStack({ ports });
    return stack.tokenFor('admin');
  };
  afterEach(() => stack.stop());

  const unavailable = { _tag: 'ReadModelUnavailable', cause: new Error('no route to the read model') } as const;
  const readModelAway: Replace = replacing('businesses', () => ({
    queries: {
      byId: () => Promise.resolve(E.left(unavailable)),
      page: () => Promise.resolve(E.left(unavailable)),
      all: () => Promise.resolve(E.left(unavailable)),
      count: () => Promise.resolve(E.left(unavailable)),
      hiddenState: () => Promise.resolve(E.left(unavailable)),
    },
  }));

  it('answers a list by 503 while the read model is away, and GET by id from the stream', async () => {
    const as = await start(readModelAway);
    const id = idOf(await call('POST', '/business', { as, body: { name: 'a' } }));
    for (const path of ['/business', '/business?limit=1']) {
      const { status, json, headers } = await call('GET', path, { as });
      expect([status, errorIn(json), headers.get('retry-after')]).to.deep.equal([
        503,
        { name: away.name, message: away.message, status: 503, code: 'read_model_unavailable' },
        '1',
      ]);
    }
    expect((await call('GET', `/business/${id}`, { as })).status).to.equal(200);
  });

  for (const failed of [{ _tag: 'SearchTooSlow' } as const, unavailable])
    it(`answers a list without its number of records where that is not to be had (${failed._tag})`, async () => {
      const as = await start(
        replacing('businesses', (businesses) => ({
          queries: { ...businesses.queries, count: () => Promise.resolve(E.left(failed)) },
        })),
      );
      for (const path of ['/business', '/business?limit=1', '/business?limit=101']) {
        const { status, json, headers } = await call('GET', path, { as, headers: { prefer: 'count=exact' } });
        expect([status, json]).to.deep.equal([200, []]);
        expect([headers.get('x-total-count'), headers.get('preference-applied')]).to.deep.equal([null, null]);
      }
    });

  it('logs why it failed under the id of the request, and says nothing of it', async () => {
    const as = await start(readModelAway);
    const { text } = await call('GET', '/business?name=private', { as, headers: { 'x-request-id': 'r-1' } });
    expect(text).to.not.contain('route');
    const [line] = stack.log.filter(({ level }) => level === 'error');
    const fields = line!.fields as Record<string, unknown>;
    expect(fields).to.include({ requestId: 'r-1', operation: 'listBusinesses', status: 503, actor: 'alice' });
    expect(JSON.stringify(fields)).to.contain('no route to the read model').and.to.not.contain('private');
    expect(JSON.stringify(stack.log)).to.not.contain(as);
  });

  it('logs a request for an address without a path like any other', async () => {
    await start(() => ({}));
    const { port } = new URL(stack.baseUrl);
    const answer = await new Promise<string>((resolve) => {
      let received = '';
      connect(Number(port), '127.0.0.1')
        .setEncoding('utf8')
        .on('data', (text: string) => (received += text))
        .on('close', () => resolve(received))
        .end('GET http:// HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    });
    expect(answer).to.match(/^HTTP\/1\.1 404 /);
    const lines = stack.log.map(({ message, fields }) => [message, (fields as Record<string, unknown>)['route']]);
    expect(lines).to.deep.equal([['request', undefined]]);
  });

  it('answers what nobody foresaw by exactly the shown text', async () => {
    const broken = (): never => {
      throw new TypeError('secret detail');
    };
    const as = await start(
      replacing('businesses', () => ({
        queries: { byId: broken, page: broken, all: broken, count: broken, hiddenState: broken },
      })),
    );
    const { status, text } = await call('GET', '/business', { as, headers: { 'x-request-id': 'r-1' } });
    expect([status, text]).to.deep.equal([
      500,
      '{"name":"Internal Server Error","message":"Internal Server Error","status":500,' +
        '"code":"internal_error","requestId":"r-1"}',
    ]);
    expect(JSON.stringify(stack.log.filter(({ level }) => level === 'error'))).to.contain('secret detail');
  });

  it('answers a write by 503 when the log is away', async () => {
    const append: EventStore['append'] = () => Promise.resolve(E.left(new StoreUnavailable('gone')));
    const as = await start(({ store }) => ({ store: { ...store, append } }));
    expect((await call('POST', '/business', { as, body: { name: 'a' } })).status).to.equal(503);
  });

  it('says up to when a list is complete, while it may lack later changes, and only then', async () => {
    const time = new Date('2026-01-02T03:04:05.678Z');
    const headerOf = async (rows: RowsFreshness, shownUntil: Date | undefined, method: string, query = '') => {
      const freshness = {
        rows: () => rows,
        asked: () => Promise.resolve(rows),
        showed: () => undefined,
        shownUntil: () => shownUntil,
      };
      const as = await start(replacing('businesses', () => ({ freshness })));
      const { status, headers } = await call(method, `/business${query}`, { as });
      return [status, headers.get('x-projected-until')];
    };
    for (const method of ['GET', 'HEAD'])
      for (const query of ['', '?limit=2', '?limit=1000']) {
        expect(await headerOf('Fresh', time, method, query)).to.deep.equal([200, null]);
        expect(await headerOf('Behind', time, method, query)).to.deep.equal([200, time.toISOString()]);
        expect(await headerOf('Unsure', time, method, query)).to.deep.equal([200, time.toISOString()]);
        expect(await headerOf('Unsure', undefined, method, query)).to.deep.equal([200, 'unknown']);
      }
  });

  it('says when a write is not shown by lists yet', async () => {
    const as = await start(
      replacing('businesses', () => ({ progress: { waitFor: () => Promise.resolve(false), heldMs: 0 } })),
    );
    const { status, headers } = await call('POST', '/business', { as, body: { name: 'a' } });
    expect([status, headers.get('x-projected')]).to.deep.equal([200, 'false']);
  });

  it('cuts a list that fails midway, so that nobody takes a part for the whole', async () => {
    async function* failing(): AsyncGenerator<string> {
      yield '[{"_id":"1"}';
      await new Promise(setImmediate);
      throw new Error('the read model went away');
    }
    const as = await start(
      replacing('businesses', (businesses) => ({
        queries: {
          ...businesses.queries,
          page: () => Promise.resolve(E.right({ records: Buffer.from('[]'), next: { id: 'more' } })),
          all: () => Promise.resolve(E.right(Readable.from(failing()))),
        },
      })),
    );
    const response = await fetch(`${stack.baseUrl}/api/v1/business`, { headers: { authorization: `Bearer ${as}` } });
    expect(response.status).to.equal(200);
    const failure = await response.text().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).to.be.instanceOf(Error);
    expect(JSON.stringify(stack.log.filter(({ level }) => level === 'error'))).to.contain('the read model went away');
  });

  it('resets the connection of a client to whom its end would be that of the list', async () => {
    const failing = new Readable({ read: () => undefined });
    const as = await start(
      replacing('businesses', (businesses) => ({
        queries: { ...businesses.queries, all: () => Promise.resolve(E.right(failing)) },
      })),
    );
    failing.push('[{"_id":"1"}');
    const { port } = new URL(stack.baseUrl);
    const ended = await new Promise<string>((resolve) => {
      connect(Number(port), '127.0.0.1')
        .on('data', () => failing.destroy(new Error('the read model went away')))
        .on('end', () => resolve('as if that were all'))
        .on('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? ''))
        .write(`GET /api/v1/business HTTP/1.0\r\nAuthorization: Bearer ${as}\r\n\r\n`);
    });
    expect(ended).to.equal('ECONNRESET');
  });

  it('answers a history by 503 when the log goes before there is more than its first page', async () => {
    const as = await start(({ store }) => ({
      store: {
        ...store,
        readStream: async function* (name, range) {
          for await (const page of store.readStream(name, range)) yield pageOf([...page]);
          throw new StoreUnavailable('gone');
        },
      },
    }));
    const id = idOf(await call('POST', '/business', { as, body: { name: 'a' } }));
    expect((await call('GET', `/business/${id}/events`, { as })).status).to.equal(503);
  });

  it('cuts a history that meets an event it cannot read', async () => {
    const as = await start(({ store }) => ({
      store: {
        ...store,
        readStream: async function* (name, range) {
          for await (const page of store.readStream(name, range)) for (const event of page) yield pageOf([event]);
          for await (const [event] of store.readStream(name, range)) yield pageOf([{ ...event!, data: '{}' }]);
        },
      },
    }));
    const id = idOf(await call('POST', '/business', { as, body: { name: 'a' } }));
    await call('POST', `/business/${id}/owner`, { as, body: { user: 'bob' } });
    const answer = await call('GET', `/business/${id}/events`, { as }).then(
      ({ status, json }) => [status, json],
      (error: unknown) => error,
    );
    expect(answer).to.be.instanceOf(Error);
  });
});
