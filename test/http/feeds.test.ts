import { Socket } from 'node:net';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import jwt from 'jsonwebtoken';
import { Connection } from '../../src/http/budget/connection.js';
import { makeFeedLimit } from '../../src/http/budget/process-budget.js';
import { makeTimeSlices } from '../../src/http/budget/time-slice.js';
import { respondWithFeed } from '../../src/http/feed/respond-with-feed.js';
import type { AuthorizedContext } from '../../src/http/request-context.js';
import { registry } from '../../src/entities/registry.js';
import type { FeedPart, FeedRequest } from '../../src/read/ledger-feed.js';
import { callerOf, idOf } from '../support/client.js';
import { makeNews } from '../support/news.js';
import { follow, type Following } from '../support/event-stream.js';
import { inMemoryFeed } from '../support/in-memory-ledger.js';
import { type MemoryStack, type MemoryStackOptions, startMemoryStack } from '../support/memory-stack.js';
import { SECRET } from '../support/tokens.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { makeManualClock } from '../support/manual-clock.js';

describe('the events of a record as they come', () => {
  let stack: MemoryStack | undefined;
  let auditor: string;
  let admin: string;
  const opened: Array<Following> = [];
  const call = callerOf(() => stack!);

  const start = async (options: MemoryStackOptions = {}): Promise<void> => {
    stack = await startMemoryStack(options);
    auditor = stack.tokenFor('auditor');
    admin = stack.tokenFor('admin');
  };

  afterEach(async () => {
    for (const { leave } of opened.splice(0)) leave();
    stack?.ports.feed.stop();
    await stack?.stop();
    stack = undefined;
  });

  const create = async (name: string): Promise<string> =>
    idOf(await call('POST', '/business', { as: admin, body: { name } }));

  const rename = async (id: string, name: string): Promise<void> => {
    expect((await call('PUT', `/business/${id}`, { as: admin, body: { name } })).status).to.equal(200);
  };

  const events = async (path: string, headers: object = {}, token = auditor): Promise<Following> => {
    const following = await follow(`${stack!.baseUrl}/api/v1${path}`, token, headers);
    opened.push(following);
    return following;
  };

  it('are those of its history, each with its index, and no others', async () => {
    await start();
    const id = await create('Acme');
    await create('Other');
    await rename(id, 'Acme 2');
    const { status, headers, until } = await events(`/business/${id}/events`);
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/event-stream; charset=utf-8']);
    expect(['cache-control', 'x-accel-buffering', 'etag'].map((name) => headers.get(name))).to.deep.equal([
      'no-store',
      'no',
      null,
    ]);
    await until(3);
    await rename(id, 'Acme 3');
    const received = await until(4);
    const listed = (await call('GET', `/business/${id}/events`, { as: auditor })).json as ReadonlyArray<object>;
    const message = (index: number, n: number) => ({ id: String(index), data: { index, ...listed[n] } });
    expect(received).to.deep.equal([
      message(0, 0),
      message(2, 1),
      { event: 'caught-up', data: { index: 2 } },
      message(3, 2),
    ]);
  });

  it('go on behind the last that a client has; the header wins over the parameter', async () => {
    await start();
    const id = await create('a');
    await rename(id, 'b');
    const indexes = async (query: string, headers: object): Promise<ReadonlyArray<unknown>> => {
      const { until } = await events(`/business/${id}/events${query}`, headers);
      return (await until(({ event }) => event === 'caught-up')).map((each) => each.id);
    };
    expect(await indexes('?after=0', {})).to.deep.equal(['1', undefined]);
    expect(await indexes('?after=1', { 'Last-Event-ID': '0' })).to.deep.equal(['1', undefined]);
    expect(await indexes('?order=asc', { 'Last-Event-ID': '1' })).to.deep.equal([undefined]);
  });

  const faults = async (path: string, headers: object = {}): Promise<ReadonlyArray<string>> => {
    const { status, json } = await call('GET', path, {
      as: auditor,
      headers: { Accept: 'text/event-stream', ...headers },
    });
    expect(status).to.equal(400);
    return (json as { errors: ReadonlyArray<{ path: string }> }).errors.map(({ path: of }) => of).sort();
  };

  it('are refused behind an event that there is not, and with what makes no sense in a feed', async () => {
    await start();
    const path = `/business/${await create('a')}/events`;
    expect(await faults(`${path}?after=1`)).to.deep.equal(['after']);
    expect(await faults(path, { 'Last-Event-ID': '99999999999999999999' })).to.deep.equal(['Last-Event-ID']);
    expect(await faults(`${path}?after=x&limit=0`, { 'Last-Event-ID': '-1' })).to.deep.equal([
      'Last-Event-ID',
      'after',
      'limit',
    ]);
    expect(await faults(`${path}?from=0&limit=1&order=desc&proof=true&diff=true`)).to.deep.equal([
      'diff',
      'from',
      'limit',
      'order',
      'proof',
    ]);
  });

  it('are 404 for a record that never was, and 401 without the role', async () => {
    await start();
    const never = '/business/0198f000-0000-7000-8000-000000000000/events';
    const as = { Accept: 'text/event-stream' };
    expect((await call('GET', never, { as: auditor, headers: as })).status).to.equal(404);
    expect((await call('GET', '/business/nothing/events', { as: auditor, headers: as })).status).to.equal(404);
    expect((await call('GET', never, { as: stack!.tokenFor('viewer'), headers: as })).status).to.equal(401);
  });

  it('are JSON for whoever likes that as much, and HEAD answers without them', async () => {
    await start();
    const path = `/business/${await create('a')}/events`;
    for (const Accept of ['*/*', 'application/json, text/event-stream', 'text/event-stream;q=0.5, application/json']) {
      const { json, headers } = await call('GET', path, { as: auditor, headers: { Accept } });
      expect(json).to.be.an('array');
      expect(headers.get('vary')).to.equal('Accept');
    }
    const head = await call('HEAD', path, { as: auditor, headers: { Accept: 'Text/Event-Stream' } });
    expect([head.status, head.headers.get('content-type'), head.text]).to.deep.equal([
      200,
      'text/event-stream; charset=utf-8',
      '',
    ]);
  });

  it('end with the token', async () => {
    const clock = makeManualClock(new Date());
    await start({ ports: ({ store }) => ({ feed: inMemoryFeed(clock, store, registry) }) });
    const id = await create('a');
    const exp = clock.date().getTime() / 1000 + 10;
    const short = jwt.sign({ roles: ['auditor'], exp }, SECRET, { algorithm: 'HS256', subject: 'aud' });
    const { ended, until } = await events(`/business/${id}/events`, {}, short);
    await until(2);
    let end: unknown;
    void ended.then((how) => (end = how));
    await clock.advance(9_900);
    await rename(id, 'b');
    await clock.advance(99);
    await until(3);
    expect(end).to.equal(undefined);
    await clock.advance(2);
    expect(await ended).to.equal('ended');
  });

  it('end when the service stops', async () => {
    await start();
    const { ended, until } = await events(`/business/${await create('a')}/events`);
    await until(2);
    stack!.ports.feed.stop();
    expect(await ended).to.equal('ended');
  });

  /** A feed whose parts the test gives. */
  const given = (
    parts: (request: Omit<FeedRequest, 'filter'>) => AsyncGenerator<FeedPart, void, undefined>,
    close = (): void => undefined,
  ) =>
    start({
      ports: () => ({
        feed: {
          open: (request) => Promise.resolve(E.right({ parts: parts(request), close })),
          stop: () => undefined,
        },
      }),
    });

  it('have a comment among them when nothing comes, and are asked for one every 15 s', async () => {
    let quiet = 0;
    await given(async function* ({ quietMs }) {
      quiet = quietMs;
      yield await Promise.resolve({ _tag: 'CaughtUp', index: -1n });
      yield { _tag: 'Quiet' };
    });
    const { ended, received, comments } = await events(`/business/${await create('a')}/events`);
    await ended;
    expect([quiet, received, comments]).to.deep.equal([
      15_000,
      [{ event: 'caught-up', data: { index: null } }],
      ['heartbeat'],
    ]);
  });

  it('are closed when the answer to HEAD is sent, and when their client goes', async () => {
    let closed = 0;
    const news = makeNews();
    await given(
      async function* () {
        yield await Promise.resolve({ _tag: 'CaughtUp', index: -1n });
        const before = closed;
        await news.until(() => closed > before);
      },
      () => {
        closed += 1;
        news.tell();
      },
    );
    const path = `/business/${await create('a')}/events`;
    expect((await call('HEAD', path, { as: auditor, headers: { Accept: 'text/event-stream' } })).status).to.equal(200);
    expect(closed).to.equal(1);
    const { leave, until } = await events(path);
    await until(1);
    expect(closed).to.equal(1);
    leave();
    await news.until(() => closed === 2);
  });

  it('are closed at once where their client has gone before they were opened', async () => {
    await start();
    const clock = makeManualClock();
    const socket = new Socket();
    // the socket knows its connection
    expect(new Connection(clock, makeTimeSlices(clock), socket).isIdle).to.equal(true);
    const state = { tryAcquire: () => Promise.resolve(true) };
    // reason: of a request it reads no more
    const request = {
      ctx: { req: { method: 'GET', socket }, res: { destroyed: true }, state },
      caller: { expiresAt: 0 },
    } as unknown as AuthorizedContext;
    let closed = 0;
    async function* parts(): AsyncGenerator<FeedPart, void, undefined> {
      yield await Promise.resolve({ _tag: 'Quiet' });
    }
    const open = () => Promise.resolve(E.right({ parts: parts(), close: () => void (closed += 1) }));
    await respondWithFeed(request, open, { index: undefined, saidBy: 'after' });
    expect(closed).to.equal(1);
  });

  it('are cut off for a client that is too slow, which the log says', async () => {
    let goOn = (): void => undefined;
    const received = new Promise<void>((resolve) => (goOn = resolve));
    await given(async function* ({ onTooSlow }) {
      yield await Promise.resolve({ _tag: 'CaughtUp', index: 0n });
      await received;
      onTooSlow();
    });
    const { until, ended } = await events(`/business/${await create('a')}/events`);
    await until(1);
    goOn();
    expect(await ended).to.equal('cut');
    await stack!.logged(({ fields }) => 'cut' in fields);
    const lines = (): ReadonlyArray<object> =>
      stack!.log.map(({ fields }) => fields).filter((fields) => 'cut' in fields);
    expect(lines()).to.have.lengthOf(1);
    expect(lines()[0]).to.include({ operation: 'listBusinessEvents', cut: 'a feed was not read in time' });
  });

  it('are 503 beyond the feeds that a process has, until one ends', async () => {
    await start({ budget: { feeds: makeFeedLimit(systemRuntime.clock, 1) } });
    const path = `/business/${await create('a')}/events`;
    const first = await events(path);
    await first.until(2);
    const headers = { Accept: 'text/event-stream' };
    expect((await call('GET', path, { as: auditor, headers })).status).to.equal(503);
    expect((await call('HEAD', path, { as: auditor, headers })).status).to.equal(200);
    first.leave();
    await stack!.logged(({ fields }) => 'cut' in fields);
    expect((await events(path)).status).to.equal(200);
  });
});
