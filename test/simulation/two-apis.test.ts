import http from 'node:http';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { makeApp } from '../../src/http/app.js';
import { makeAuthenticate } from '../../src/http/authentication/authenticate.js';
import { makeServer } from '../../src/http/serve.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { memoryPorts, routesOver } from '../support/memory-ports.js';
import { SECRET } from '../support/tokens.js';
import { connect } from './connection.js';
import { makeWorld, type World } from './world.js';
import { docsPage } from '../support/docs-page.js';

const [CLIENTS, REQUESTS_EACH] = [5, 10];

type Answer = { readonly status: number; readonly text: string };

type Api = {
  readonly ask: (method: string, path: string, body?: object) => Promise<Answer>;
  readonly stop: () => Promise<void>;
  /** Timers and sleeps that wait. */
  readonly waiting: () => number;
};

/** An API in a process of its own, on a log that others use, too. Its log lines go into the trace. */
const startApi = async (world: World, store: EventStore, say: (line: string) => void): Promise<Api> => {
  const runtime = world.begin();
  const { ports, close } = await memoryPorts(undefined, { store, runtime });
  const log = (fields: object, message: string): void => say(`${message} ${JSON.stringify(fields)}`);
  const listener = makeApp({
    runtime,
    authenticate: makeAuthenticate(runtime.clock, { key: { _tag: 'Secret', secret: SECRET } }),
    corsOrigins: [],
    readiness: () => Promise.resolve({ checks: {}, missing: [] }),
    docsPage,
    version: '0',
    log: { info: log, warn: log, error: log },
    entityRoutes: await routesOver(ports),
  });
  const { server, stop } = makeServer(listener, { runtime });
  const seconds = Math.floor(runtime.clock.date().getTime() / 1_000);
  const token = jwt.sign({ roles: 'admin', sub: 'alice', iat: seconds, exp: seconds + 600 }, SECRET);
  const createConnection = () => {
    const connection = connect(world, '127.0.0.1');
    server.emit('connection', connection.server);
    return connection.client;
  };
  return {
    ask: (method, path, body) =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const request = http.request({ method, path, headers, createConnection }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('error', reject).on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        });
        request.on('error', reject).end(body && JSON.stringify(body));
      }),
    stop: async () => {
      await stop(1_000);
      await close();
    },
    waiting: runtime.waiting,
  };
};

/** What clients and logs have seen of two APIs within a virtual minute, and what waits in them when they have stopped. */
const live = async (seed: number): Promise<{ readonly trace: ReadonlyArray<string>; readonly waiting: number }> => {
  const world = makeWorld(seed);
  const trace: Array<string> = [];
  const say = (line: string): void => void trace.push(`${world.now()} ${line}`);
  const store = makeInMemoryEventStore();
  const apis = [await startApi(world, store, say), await startApi(world, store, say)] as const;

  const client = async (name: string): Promise<void> => {
    let created: string | undefined;
    for (let request = 0; request < REQUESTS_EACH; request += 1) {
      await world.sleep(world.random() * 5_000);
      const api = apis[world.random() < 0.5 ? 0 : 1];
      const wants = world.random();
      const { status, text } =
        created === undefined || wants < 0.4
          ? await api.ask('POST', '/api/v1/business', { name, address: {} })
          : wants < 0.7
            ? await api.ask('PUT', created, { name: `${name}, ${request}`, address: {} })
            : await api.ask('GET', `${created}/events`);
      if (status !== 200) throw new Error(`${status} ${text}`);
      // reason: what is answered to a command names its record
      const { _id: id } = JSON.parse(text) as { readonly _id?: string };
      if (id !== undefined) created = `/api/v1/business/${id}`;
      say(`${name}: ${text}`);
    }
  };

  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(`client ${number}`)));
  await world.run(60_000);
  await clients;
  const stopped = Promise.all(apis.map((api) => api.stop()));
  await world.run(120_000);
  await stopped;
  return { trace, waiting: apis[0].waiting() + apis[1].waiting() };
};

describe('two APIs on one log, whose time and chance come from a seed', () => {
  it('answer and log the same for the same seed, to the letter, and otherwise for another', async () => {
    const [first, again, other] = [await live(1), await live(1), await live(2)];
    expect(first.trace.length).to.equal(2 * CLIENTS * REQUESTS_EACH);
    expect(again.trace).to.deep.equal(first.trace);
    expect(other.trace).not.to.deep.equal(first.trace);
  });

  it('leave no timer when they have stopped', async () => {
    expect((await live(3)).waiting).to.equal(0);
  });
});
