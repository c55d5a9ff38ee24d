import { Readable } from 'node:stream';
import { expect } from 'chai';
import { either as E, option as O } from 'fp-ts';
import { FIRST_PAGE } from '../../../src/event-sourcing/first-page.js';
import { type ProcessBudget, UNCOUNTED_BYTES } from '../../../src/http/budget/process-budget.js';
import { callerOf, idOf } from '../../support/client.js';
import { errorIn } from '../../support/error-in.js';
import { FORM_TYPE, formOf } from '../../support/multipart-form.js';
import { type MemoryPorts, replacing } from '../../support/memory-ports.js';
import { type MemoryStack, startMemoryStack } from '../../support/memory-stack.js';
import { rawExchange } from '../../support/raw-exchange.js';

const unavailable = {
  name: 'Service Unavailable',
  message: 'The service cannot answer right now; try again shortly',
  status: 503,
  code: 'overloaded',
};

describe('requests and the budget of the process', () => {
  let stack: MemoryStack;
  let admin: string;
  let asked: Array<readonly [resource: string, amount: number | undefined]> = [];
  const call = callerOf(() => stack);
  afterEach(() => stack.stop());

  let isExhausted: boolean;
  /** The only part that is not granted; undefined: none is. */
  let refused: string | undefined;

  /** Grants nothing when the test has begun, and keeps what was asked for. */
  const exhausted = (): ProcessBudget => {
    const none = (name: string) => ({
      acquire: (_holder: unknown, _caller: string, amount?: number) => {
        asked.push([name, amount]);
        return Promise.resolve(!isExhausted || (refused !== undefined && refused !== name));
      },
      tryAcquire: () => !isExhausted,
      held: () => 0,
    });
    const [lists, histories, files] = [none('lists'), none('histories'), none('files')];
    return { lists, histories, files, feeds: none('feeds'), bytes: none('bytes') };
  };

  const start = async (ports?: (ports: MemoryPorts) => Partial<MemoryPorts>): Promise<void> => {
    [isExhausted, refused] = [false, undefined];
    stack = await startMemoryStack({ budget: exhausted(), ...(ports === undefined ? {} : { ports }) });
    admin = stack.tokenFor('admin');
    // the first answer is held to the description of the API, which is long
    await call('GET', '/nothing');
    [asked, isExhausted] = [[], true];
  };

  it('take nothing of it while they are small', async () => {
    await start();
    const id = idOf(await call('POST', '/business', { as: admin, body: { name: 'a', line1: 'x'.repeat(1000) } }));
    expect((await call('GET', `/business/${id}`, { as: admin })).status).to.equal(200);
    expect((await call('GET', '/business?limit=1', { as: admin })).status).to.equal(200);
    expect(asked).to.deep.equal([]);
  });

  it('take the bytes of a body from 16 KiB on, and are 503 when they are not to be had', async () => {
    await start();
    const { status, json, headers } = await call('POST', '/document', {
      as: admin,
      body: { name: 'a', description: 'é'.repeat(9_000) },
    });
    expect([status, errorIn(json), headers.get('retry-after')]).to.deep.equal([503, unavailable, '1']);
    expect(headers.get('connection')).to.equal('close');
    expect(asked).to.deep.equal([['bytes', 256 * 1024]]);
  });

  it('take the bytes of an answer from 16 KiB on', async () => {
    const body = Buffer.from(JSON.stringify({ _id: 'x'.repeat(20_000) }));
    await start(
      replacing('businesses', (businesses) => ({
        queries: { ...businesses.queries, byId: (id) => Promise.resolve(E.right(O.some({ id, revision: 0n, body }))) },
      })),
    );
    const { json } = await call('GET', '/business/00000000-0000-7000-8000-000000000000', { as: admin });
    expect([errorIn(json), asked]).to.deep.equal([unavailable, [['bytes', body.length]]]);
  });

  it('take nothing for what all answers share, however large it is', async () => {
    await start();
    for (const path of ['/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css', '/openapi.json', '/openapi.yaml']) {
      const response = await fetch(stack.baseUrl + path, { headers: { 'accept-encoding': 'identity' } });
      expect((await response.arrayBuffer()).byteLength, path).to.be.above(UNCOUNTED_BYTES);
    }
    expect(asked).to.deep.equal([]);
  });

  it('take a place for a list, a large page and a large record', async () => {
    await start(
      replacing('businesses', (businesses) => ({
        queries: {
          ...businesses.queries,
          page: () =>
            Promise.resolve(
              E.right({ records: { open: () => Promise.resolve(E.right(Readable.from([]))) }, next: undefined }),
            ),
          byId: (id) =>
            Promise.resolve(
              E.right(O.some({ id, revision: 0n, body: { read: () => Promise.resolve(E.right(O.none)) } })),
            ),
        },
      })),
    );
    const paths = [
      '/business',
      '/business?limit=3',
      '/business?limit=101',
      '/business/00000000-0000-7000-8000-000000000000',
    ];
    for (const path of paths)
      expect(errorIn((await call('GET', path, { as: admin })).json), path).to.deep.equal(unavailable);
    expect(asked).to.deep.equal([undefined, undefined, undefined, 2].map((amount) => ['lists', amount]));
  });

  it('take a place for a count, and count nothing where none is free', async () => {
    const counts: Array<unknown> = [];
    await start(
      replacing('businesses', (businesses) => ({
        queries: {
          ...businesses.queries,
          count: (filter) => {
            counts.push(filter);
            return Promise.resolve(E.right(7));
          },
        },
      })),
    );
    const total = async (method: string, path: string, prefer: string) => {
      const { status, headers } = await call(method, path, { as: admin, headers: { prefer } });
      return [status, headers.get('x-total-count')];
    };
    const asks = [
      ['GET', '/business'],
      ['HEAD', '/business'],
      ['GET', '/business?limit=3'],
    ] as const;
    for (const [method, path] of asks) expect(await total(method, path, 'count=exact')).to.deep.equal([200, null]);
    isExhausted = false;
    for (const [method, path] of asks) expect(await total(method, path, 'wait=1')).to.deep.equal([200, null]);
    expect(counts).to.deep.equal([]);
    for (const [method, path] of asks) expect(await total(method, path, 'count=exact')).to.deep.equal([200, '7']);
    expect([counts.length, asked]).to.deep.equal([3, []]);
  });

  it('take a place for a history and for a state of then', async () => {
    await start();
    const id = idOf(await call('POST', '/business', { as: admin, body: { name: 'a' } }));
    for (let count = 0; count < FIRST_PAGE.events; count += 1)
      await call('PUT', `/business/${id}`, { as: admin, body: { name: `${count}` } });
    const document = idOf(await call('POST', '/document', { as: admin, body: { name: 'a' } }));
    const paths = [`/business/${id}?revision=0`, `/document/${document}/file?revision=0`];
    for (const path of paths)
      expect(errorIn((await call('GET', path, { as: admin })).json), path).to.deep.equal(unavailable);
    expect(asked).to.deep.equal(paths.map(() => ['histories', undefined]));
    // a history acquires what its first page takes, and then, being longer, a history
    [asked, refused] = [[], 'histories'];
    const { json } = await call('GET', `/business/${id}/events`, { as: admin });
    expect([errorIn(json), asked]).to.deep.equal([
      unavailable,
      [
        ['bytes', 2 * FIRST_PAGE.bytes],
        ['histories', undefined],
      ],
    ]);
  });

  /** A document with a file of so many bytes. */
  const withFile = async (size: number): Promise<string> => {
    const response = await fetch(`${stack.baseUrl}/api/v1/document`, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin}`, 'content-type': FORM_TYPE },
      body: formOf({ name: 'file', content: Buffer.alloc(size), filename: 'file' }, { name: 'name', content: 'a' }),
    });
    return ((await response.json()) as { readonly _id: string })._id; // reason: POST answers a document
  };

  it('take a place for a file above 64 KiB', async () => {
    await start();
    isExhausted = false;
    const ids = [await withFile(16 * 1024), await withFile(64 * 1024 + 1)];
    [asked, isExhausted] = [[], true];
    const statuses = [];
    for (const id of ids) statuses.push((await call('GET', `/document/${id}/file`, { as: admin })).status);
    expect([statuses, asked]).to.deep.equal([[200, 503], [['files', undefined]]]);
  });

  it('take once the bytes of a file that is checked before it is sent, and before it is opened', async () => {
    const opened: Array<string> = [];
    await start(({ storage }) => ({
      storage: {
        ...storage,
        open: (key, range) => {
          opened.push(asked.map(([resource]) => resource).join());
          return storage.open(key, range);
        },
      },
    }));
    isExhausted = false;
    const [small, large] = [await withFile(16 * 1024 + 1), await withFile(900_000)];
    const get = async (id: string, headers = {}): Promise<number> =>
      (await call('GET', `/document/${id}/file`, { as: admin, headers })).status;
    asked = [];
    expect([await get(small), await get(large, { range: 'bytes=0-0' }), asked, opened]).to.deep.equal([
      ...[200, 206],
      [
        ['bytes', 16 * 1024 + 1],
        ['files', undefined],
        ['bytes', 900_000],
      ],
      ['bytes', 'bytes,files,bytes'],
    ]);
    [asked, isExhausted, refused] = [[], true, 'bytes'];
    expect([await get(small), await get(large), opened.length]).to.deep.equal([503, 503, 2]);
  });

  it('take none for a list that is short', async () => {
    await start();
    await call('POST', '/business', { as: admin, body: { name: 'a' } });
    const lengths = [];
    for (const path of ['/business', '/business?limit=100'])
      lengths.push(((await call('GET', path, { as: admin })).json as ReadonlyArray<unknown>).length);
    expect([lengths, asked]).to.deep.equal([[1, 1], []]);
  });

  it('take bytes for the events of a history that is short', async () => {
    await start();
    const id = idOf(await call('POST', '/business', { as: admin, body: { name: 'a' } }));
    const paths = [`/business/${id}/events`, `/business/${id}/events?limit=50`];
    for (const path of paths)
      expect(errorIn((await call('GET', path, { as: admin })).json), path).to.deep.equal(unavailable);
    expect(asked).to.deep.equal(paths.map(() => ['bytes', 2 * FIRST_PAGE.bytes]));
  });

  it('bring a body in one-byte chunks as in one piece', async () => {
    await start();
    const chunks = Array.from('{"name":"in chunks"}', (character) => `1\r\n${character}\r\n`).join('');
    const head = [
      'POST /api/v1/business HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${admin}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
      'Connection: close',
    ];
    const answer = await rawExchange(stack.baseUrl, `${head.join('\r\n')}\r\n\r\n`, chunks, '0\r\n\r\n');
    expect(answer)
      .to.match(/^HTTP\/1.1 200 /)
      .and.to.include('"name":"in chunks"');
  });
});

describe('a large record', () => {
  let stack: MemoryStack;
  afterEach(() => stack.stop());

  it('is answered as the bytes and the revision that are read last, and on the conditions that hold for those', async () => {
    const bytes = Buffer.from(JSON.stringify({ name: 'é'.repeat(50_000) }));
    stack = await startMemoryStack({
      ports: replacing('businesses', (businesses) => ({
        queries: {
          ...businesses.queries,
          byId: (id) =>
            Promise.resolve(
              E.right(
                O.some({
                  id,
                  revision: 3n,
                  body: { read: () => Promise.resolve(E.right(O.some({ revision: 4n, bytes }))) },
                }),
              ),
            ),
        },
      })),
    });
    const get = (headers: Record<string, string>) =>
      fetch(`${stack.baseUrl}/api/v1/business/00000000-0000-7000-8000-000000000000`, {
        headers: { authorization: `Bearer ${stack.tokenFor('viewer')}`, ...headers },
      });
    const whole = await get({});
    expect([whole.status, whole.headers.get('etag'), await whole.text()]).to.deep.equal([200, '"4"', bytes.toString()]);
    const statuses = [];
    for (const headers of [{ 'if-none-match': '"3"' }, { 'if-none-match': '"4"' }, { 'if-match': '"3"' }])
      statuses.push((await get(headers)).status);
    expect(statuses).to.deep.equal([304, 304, 412]);
  });
});
