import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import fs from 'node:fs';
import type { Server } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { startService } from '../../src/composition/start-service.js';
import { Started } from '../../src/composition/started.js';
import { registry } from '../../src/entities/registry.js';
import { makeLogger } from '../../src/infrastructure/logging/logger.js';
import { connect } from '../simulation/connection.js';
import { type Answer, beginRequest } from '../simulation/request.js';
import { makeWorld, within, type World } from '../simulation/world.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { memoryAdapters } from '../support/memory-adapters/memory-adapters.js';
import { drawCheckpointKey, memoryConfig } from '../support/memory-adapters/memory-config.js';
import { makeMemoryFiles } from '../support/memory-adapters/memory-files.js';
import { makeMemoryReadModels } from '../support/memory-read-models.js';
import { makeMemorySeal } from '../support/memory-seal.js';
import { makeMemoryStorage } from '../support/memory-storage/memory-storage.js';
import { right } from '../support/sealed-tree.js';
import { SECRET } from '../support/tokens.js';

type Serving = { readonly world: World; readonly runtime: ReturnType<World['begin']>; readonly server: Server };

/** Begins a request, which goes on when its body ends. */
const begin = ({ world, runtime, server }: Serving, method: string, path: string) => {
  const seconds = Math.floor(runtime.clock.date().getTime() / 1_000);
  const token = jwt.sign({ roles: 'admin', sub: 'alice', iat: seconds, exp: seconds + 600 }, SECRET);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const createConnection = () => {
    const connection = connect(world, '127.0.0.1');
    server.emit('connection', connection.server);
    return connection.client;
  };
  const begun = beginRequest(createConnection, method, path, headers);
  begun.request.flushHeaders();
  return begun;
};

const ask = (serving: Serving, method: string, path: string, body?: object): Promise<Answer> => {
  const { request, answer } = begin(serving, method, path);
  request.end(body && JSON.stringify(body));
  return answer;
};

/** A service that runs, and what it reaches. */
const start = async (seed: number) => {
  const world = makeWorld(seed);
  const runtime = world.begin();
  const store = makeInMemoryEventStore();
  const storage = makeMemoryStorage(runtime);
  const seal = makeMemorySeal(runtime.clock, storage);
  const files = makeMemoryFiles(runtime.clock);
  const log = makeLogger(runtime.clock, 'fatal', false, { write: () => undefined });
  const started = new Started();
  const closed: Array<string> = [];
  let server: Server | undefined;
  const adapters = memoryAdapters(
    { store, storage, queries: makeMemoryReadModels({ storage, seal }), seal, files },
    { onServer: (made) => (server = made), onClosed: (what) => closed.push(what) },
  );
  const starting = startService(
    memoryConfig(drawCheckpointKey(runtime.random)),
    log,
    started,
    registry,
    runtime,
    adapters,
  );
  const address = await within(world, starting);
  if (server === undefined) throw new Error('the service serves nobody');
  const serving = { world, runtime, server };
  return { ...serving, address, storage, seal, files, closed, stop: () => within(world, started.stop()) };
};

/** A service from its start to its end, in which somebody creates a business, and what there is of it. */
const live = async (seed: number) => {
  const { address, storage, seal, files, closed, stop, ...serving } = await start(seed);
  const asked = (method: string, path: string, body?: object) =>
    within(serving.world, ask(serving, method, path, body));
  const created = await asked('POST', '/api/v1/business', { name: 'Acme', address: {} });
  const { _id: id } = JSON.parse(created.text) as { readonly _id: string }; // reason: a record
  const row = storage.liveRows('businesses').get(id)?.['body'];
  const read = await asked('GET', `/api/v1/business/${id}`);
  const ready = await asked('GET', '/readyz');
  const metrics = await asked('GET', '/metrics');
  await stop();

  const leases = (await storage.liveCheckpoints()).map(({ lease }) => lease);
  const signed = right(await seal('ledger', ['']).tree.newestCheckpoint());
  const waiting = serving.runtime.waiting();
  return { address, created, row, read, ready, metrics, closed, leases, signed, files, waiting };
};

/** Handles and requests of the system, as Node names them. */
const OUTSIDE = /^(DIRHANDLE|FILEHANDLE|FS|GET(ADDR|NAME)INFO|PIPE|PROCESS|QUERY|STAT|TCP|TLS|TTY|UDP|WORKER)/;
const AT_ONCE = ['existsSync', 'openSync', 'readdirSync', 'readFileSync', 'statSync', 'writeSync'] as const;

/** Loading a module looks for its file, on some versions of Node in this thread. */
const isLoadingModule = (): boolean => /node:internal\/modules\/|\/node_modules\/tsx\//.test(new Error().stack ?? '');

/** What work asks of the system for files, connections, processes and threads. */
const reachedBy = async (work: () => Promise<unknown>): Promise<ReadonlyArray<string>> => {
  const working = new AsyncLocalStorage<true>();
  const reached: Array<string> = [];
  const note = (what: string): void => {
    if (working.getStore() === true) reached.push(what);
  };
  const hook = createHook({ init: (_, type) => (OUTSIDE.test(type) ? note(type) : undefined) }).enable();
  for (const name of AT_ONCE) {
    const original: (...args: ReadonlyArray<never>) => unknown = fs[name];
    mock.method(fs, name, (...args: ReadonlyArray<never>) => {
      if (!isLoadingModule()) note(name);
      return original(...args);
    });
  }
  syncBuiltinESMExports();
  try {
    await working.run(true, work);
  } finally {
    mock.restoreAll();
    syncBuiltinESMExports();
    hook.disable();
  }
  return reached;
};

describe('a service that is composed with other adapters', () => {
  it('projects, answers and signs', async () => {
    const { address, created, row, read, ready, metrics, leases, signed, files } = await live(1);
    expect(address).to.equal('http://service.example:3000');
    expect([created.status, created.isProjected]).to.deep.equal([200, true]);
    expect(JSON.parse(row ?? '')).to.include({ name: 'Acme' });
    expect(read.status).to.equal(200);
    expect(JSON.parse(read.text)).to.include({ name: 'Acme' });
    expect(ready.status).to.equal(200);
    expect(JSON.parse(ready.text)).to.include({ status: 'ready' }).and.not.to.have.property('warnings');
    expect(metrics.text).to.include('event_append_duration_seconds_count{outcome="appended"} 1');
    expect(new Set(leases)).to.deep.equal(new Set(['Free']));
    expect([signed?.origin, signed?.size]).to.deep.equal(['service.example/log', 1]);
    expect([...files.checkpointNotes.values()].map(String)).to.deep.equal([signed?.note]);
  });

  it('stops what it has started in reverse order, and leaves no timer', async () => {
    const { closed, waiting } = await live(1);
    const [probe, ...others] = closed;
    expect(probe).to.equal('server');
    const expected = [
      'server',
      'record of reads',
      'log-verification',
      'seal',
      'verification',
      'projections',
      'queries',
      'stores',
    ];
    expect(others).to.deep.equal(expected);
    expect(waiting).to.equal(0);
  });

  it('answers a request that has begun before it stops what that needs', async () => {
    const { closed, stop, ...serving } = await start(1);
    const { request, answer } = begin(serving, 'POST', '/api/v1/business');
    await serving.world.run(serving.world.now() + 100);
    const stopping = stop();
    request.end(JSON.stringify({ name: 'Late', address: {} }));
    expect((await answer).status).to.equal(200);
    expect(closed).to.deep.equal(['server']);
    await stopping;
    expect(closed).to.include('stores');
  });

  it('opens no file, no connection and no port, and starts no process and no thread', async () => {
    // modules are loaded from files
    await live(1);
    expect(await reachedBy(() => live(2))).to.deep.equal([]);
    // what would be seen
    expect(await reachedBy(() => fs.promises.readFile('package.json'))).not.to.deep.equal([]);
  });
});
