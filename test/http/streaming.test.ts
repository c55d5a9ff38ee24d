import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import { expect } from 'chai';
import type { CommandContext } from '../../src/application/command-context.js';
import { businessUseCases } from '../../src/application/business/use-cases.js';
import { business } from '../../src/entities/business.js';
import { connect } from '../../src/entities/define-entity.js';
import { listEvents } from '../../src/http/record/list-events.js';
import type { KoaContext } from '../../src/http/request-context.js';
import type { Events } from '../../src/read/entity-events.js';
import { readAhead } from '../../src/read/read-ahead.js';
import { callerOf } from '../support/client.js';
import { portsOf, replacing } from '../support/memory-ports.js';
import { makeManualClock } from '../support/manual-clock.js';
import { makeNews } from '../support/news.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const EVENTS = 10_000;
const PAGES = EVENTS / 500;
const context: CommandContext = { actor: 'alice', correlationId: 'test', operation: 'test' };

/** An answer, of which nothing is read yet. */
const responseTo = (sent: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => sent.once('response', resolve).once('error', reject));

/** A business whose history is long, and each event of it too long for the buffers between us and the reader. */
const longHistory = async ({ ports }: MemoryStack): Promise<string> => {
  const businesses = businessUseCases(systemRuntime.random, connect(business, portsOf(ports, business)).execute);
  const created = await businesses.create(context, { name: 'a' });
  if (E.isLeft(created)) throw new Error('not created');
  const { businessId } = created.right;
  const line1 = 'x'.repeat(1000);
  for (let revision = 1; revision < EVENTS; revision += 1) {
    const changes = { name: String(revision), line1: `${revision % 2}${line1.slice(1)}`, line2: `${revision}${line1}` };
    await businesses.update(context, businessId, changes);
  }
  return businessId;
};

describe('streaming over HTTP', () => {
  let stack: MemoryStack;
  let id: string;
  let pulled: number;
  let running: number;
  const news = makeNews();
  const call = callerOf(() => stack);
  before(async function () {
    this.timeout(60_000);
    stack = await startMemoryStack({
      ports: ({ store }) => ({
        store: {
          ...store,
          readStream: async function* (name, range) {
            running += 1;
            try {
              for await (const page of store.readStream(name, range)) {
                pulled += 1;
                news.tell();
                yield page;
              }
            } finally {
              running -= 1;
              news.tell();
            }
          },
        },
      }),
    });
    [pulled, running] = [0, 0];
    id = await longHistory(stack);
  });
  after(() => stack.stop());
  beforeEach(() => {
    [pulled, running] = [0, 0];
  });

  const allEnded = (): Promise<void> => news.until(() => running === 0);

  /** The answer to a GET, of which nothing is read yet. */
  const unread = async (path: string): Promise<IncomingMessage> => {
    const headers = { authorization: `Bearer ${stack.tokenFor('admin')}` };
    // of its own: the system gives a connection on which much has been read larger buffers
    return responseTo(request(`${stack.baseUrl}/api/v1${path}`, { headers, agent: false }).end());
  };

  it('gives all 10,000 events to a slow reader at its own pace', async () => {
    const response = await unread(`/business/${id}/events`);
    // somebody else reads all of it meanwhile
    await call('GET', `/business/${id}/events`, { as: stack.tokenFor('admin', 'somebody else') });
    const whileWaiting = pulled - (PAGES + 1);
    expect(whileWaiting).to.be.lessThan(PAGES);
    pulled = whileWaiting;
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk as string;
    const revisions = (JSON.parse(text) as ReadonlyArray<{ revision: number }>).map(({ revision }) => revision);
    expect(revisions).to.deep.equal(Array.from({ length: EVENTS }, (_, revision) => revision));
    // one more, which told that there are more than few
    expect([pulled, running]).to.deep.equal([PAGES + 1, 0]);
  });

  it('reads a few of a caller at once: one whose reader has stopped gives way to its next one, and to no other caller', async () => {
    const stopped = await Promise.all(Array.from({ length: 3 }, () => unread(`/business/${id}/events`)));
    expect(running).to.equal(3);
    const others = ['somebody else', undefined].map((subject) => stack.tokenFor('admin', subject));
    const left = [];
    for (const as of others) {
      const { status, json } = await call('GET', `/business/${id}/events?limit=1000`, { as });
      expect([status, (json as ReadonlyArray<unknown>).length]).to.deep.equal([200, 1000]);
      left.push(running);
    }
    expect(left).to.deep.equal([3, 2]);
    stopped.forEach((response) => response.on('error', () => undefined).destroy());
    await allEnded();
  });

  it('stops reading when the reader goes', async () => {
    const response = await unread(`/business/${id}/events`);
    await once(response, 'readable');
    response.destroy();
    await allEnded();
    expect(pulled).to.be.lessThan(PAGES);
    const line = await stack.logged((one) => JSON.stringify(one).includes('ERR_STREAM_PREMATURE_CLOSE'));
    expect(line).to.deep.include({ level: 'info', message: 'request' });
  });

  it('reads no event for the headers of HEAD', async () => {
    const { status, text } = await call('HEAD', `/business/${id}/events`, { as: stack.tokenFor('admin') });
    expect([status, text, pulled, running]).to.deep.equal([200, '', 0, 0]);
  });

  it('stops folding when nobody waits for the state any more, which is no failure', async () => {
    const headers = { authorization: `Bearer ${stack.tokenFor('admin')}` };
    const asking = request(`${stack.baseUrl}/api/v1/business/${id}?revision=${EVENTS - 1}`, { headers });
    asking.on('error', () => undefined).end();
    await news.until(() => pulled > 0);
    asking.destroy();
    const line = await stack.logged(({ fields }) => JSON.stringify(fields).includes('ClientGone'));
    expect(line).to.deep.include({ level: 'info', message: 'request' });
    await allEnded();
    expect(pulled).to.be.lessThan(PAGES);
  });

  it('folds no more of a history than an earlier state needs', async () => {
    await call('GET', `/business/${id}?revision=3`, { as: stack.tokenFor('admin') });
    expect([pulled, running]).to.deep.equal([1, 0]);
  });
});

describe('a history of more than a page', () => {
  it('is closed when its reader has gone before any of it was sent', async () => {
    let isOpen = true;
    let close = (): void => undefined;
    const closed = new Promise<void>((resolve) => (close = resolve));
    const events = async (): Promise<E.Either<never, Events>> => {
      async function* endless(): AsyncGenerator<Buffer, void, undefined> {
        try {
          for (;;) yield await Promise.resolve(Buffer.from('{}'));
        } finally {
          isOpen = false;
          close();
        }
      }
      return E.right({ newest: 9n, body: await readAhead(endless()) });
    };
    const follow = (): Promise<never> => Promise.reject(new Error('nobody asks for a feed'));
    const handle = listEvents({ newestRevision: () => Promise.resolve(E.right(9n)), events, follow });
    const granted = (): Promise<boolean> => Promise.resolve(true);
    const state = { requestId: 'r', acquire: granted, tryAcquire: granted, timeSlice: granted };
    // reason: of Koa's context it reads no more
    const ctx = {
      req: { method: 'GET', headers: {} },
      path: '/',
      state,
      vary: () => undefined,
    } as unknown as KoaContext;
    const params = { id: '0198f000-0000-7000-8000-000000000001' };
    const caller = { subject: 'ann', roles: [], expiresAt: 0 };
    const response = await handle({ ctx, params, query: {}, caller });
    const body = E.isRight(response) ? response.right.body : undefined;
    expect([body instanceof Readable, isOpen]).to.deep.equal([true, true]);
    // as `send` does where nobody reads
    if (body instanceof Readable) body.destroy();
    await closed;
  });
});

describe('a source that falls silent', () => {
  let stack: MemoryStack;
  afterEach(() => stack.stop());

  it('is closed when its reader goes', async () => {
    const source = new Readable({ read: () => undefined });
    source.push('[');
    stack = await startMemoryStack({
      ports: replacing('businesses', (businesses) => ({
        queries: { ...businesses.queries, all: () => Promise.resolve(E.right(source)) },
      })),
    });
    const headers = { authorization: `Bearer ${stack.tokenFor('viewer')}` };
    const response = await responseTo(request(`${stack.baseUrl}/api/v1/business`, { headers }).end());
    await once(response, 'data');
    expect(source.destroyed).to.equal(false);
    const closed = new Promise((resolve) => source.once('close', resolve));
    response.on('error', () => undefined).destroy();
    await closed;
    expect(source.destroyed).to.equal(true);
  });
});

describe('a reader that stops reading', () => {
  let stack: MemoryStack;
  afterEach(() => stack.stop());

  it('is cut off after a while, and what it held is released', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) {
          yield ' '.repeat(65_536);
          await new Promise(setImmediate);
        }
      } finally {
        release();
      }
    }
    stack = await startMemoryStack({
      limits: { stallMs: 50 },
      ports: replacing('businesses', (businesses) => ({
        queries: {
          ...businesses.queries,
          page: () => Promise.resolve(E.right({ records: Buffer.from('[]'), next: { id: 'more' } })),
          all: () => Promise.resolve(E.right(Readable.from(endless()))),
        },
      })),
    });
    const headers = { authorization: `Bearer ${stack.tokenFor('viewer')}` };
    const response = await responseTo(request(`${stack.baseUrl}/api/v1/business`, { headers }).end());
    expect(response.statusCode).to.equal(200);
    await released;
    response.on('error', () => undefined).destroy();
  });
});

describe('a reader that reads in time', () => {
  let stack: MemoryStack;
  afterEach(() => stack.stop());

  for (const [what, query] of [
    ['a large answer', '?limit=10'],
    ['a stream', ''],
  ] as const)
    it(`has as much time for its next request as for any, once it has ${what}`, async () => {
      const clock = makeManualClock(new Date());
      const records = Buffer.from(`[${' '.repeat(300_000)}]`);
      stack = await startMemoryStack({
        runtime: { ...systemRuntime, clock },
        ports: replacing('businesses', (businesses) => ({
          queries: {
            ...businesses.queries,
            page: () => Promise.resolve(E.right({ records, next: undefined })),
            all: () => Promise.resolve(E.right(Readable.from([records]))),
          },
        })),
      });
      const before = clock.waiting();
      const headers = { authorization: `Bearer ${stack.tokenFor('viewer')}` };
      const response = await responseTo(request(`${stack.baseUrl}/api/v1/business${query}`, { headers }).end());
      let length = 0;
      for await (const chunk of response) length += (chunk as Buffer).length; // reason: no encoding is set
      expect([response.statusCode, length]).to.deep.equal([200, records.length]);
      await clock.untilWaiting(before);
    });
});
