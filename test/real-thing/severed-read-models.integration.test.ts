import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { documentQueries, documents } from '../../projections/documents.js';
import { businesses } from '../../projections/businesses.js';
import { projectionsOf, registry } from '../../src/entities/registry.js';
import type { EngineEvent, OnEngineEvent } from '../../projections/engine/engine-event.js';
import { type Projections, startProjections } from '../../projections/engine/run/start-projections.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import {
  makeReadModelQueries,
  type ReadModelQueries,
} from '../../src/infrastructure/postgres/read-models/make-read-model-queries.js';
import { type Lookout, makeLookout } from '../support/lookout.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { type SeverableProxy, startSeverableProxy } from '../support/severable-proxy.js';
import { append, created, renamed } from '../projections/appending.js';
import { recordsOf } from '../support/records-of.js';
import { IN_CREATION_ORDER } from '../../src/read/queries.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { ownStorage } from '../support/read-model-storage.js';

describe('while the database is away', function () {
  this.timeout(startingPostgres);
  let database: string;
  let proxy: SeverableProxy;
  let store: EventStore;
  let projections: Projections;
  let queries: ReadModelQueries;
  let events: Array<EngineEvent>;
  let lookout: Lookout;

  const start = (onEvent: OnEngineEvent): Projections =>
    startProjections({
      runtime: { ...systemRuntime, clock: lookout.onClock(systemRuntime.clock) },
      projections: projectionsOf(registry),
      store: lookout.on(store),
      storage: lookout.on(ownStorage(proxy.url)),
      projector: true,
      isSoleProcess: true,
      rollbackWindowMs: 60_000,
      onEvent,
    });

  beforeEach(async () => {
    lookout = makeLookout();
    database = await freshDatabase();
    proxy = await startSeverableProxy(database);
    store = makeInMemoryEventStore();
    events = [];
    projections = start((event) => events.push(event));
    queries = makeReadModelQueries(systemRuntime.clock, { connectionString: proxy.url });
  });

  afterEach(async () => {
    await projections.stop();
    await queries.close();
    await proxy.close();
  });

  const shown = (position: bigint): Promise<boolean> =>
    lookout.until(() => projections.byName('businesses').status().reached >= position);

  const bodies = async (): Promise<ReadonlyArray<string>> => {
    const page = await queries.of(businesses).page({}, { order: IN_CREATION_ORDER, limit: 1000 });
    return E.isRight(page)
      ? recordsOf(page.right).map((body) => (JSON.parse(body) as { name: string }).name)
      : ['no page'];
  };

  it('the rows are known to lag; when it is back they catch up by themselves, and it was reported once', async () => {
    const id = randomUUID();
    await shown(await append(store, `business-${id}`, 0n, created('Acme')));
    proxy.sever();
    const position = await append(store, `business-${id}`, 1n, renamed('Acme 2'));
    await lookout.until(() => projections.byName('businesses').status().isBehind);
    proxy.mend();
    expect(await shown(position)).to.equal(true);
    expect(projections.byName('businesses').status().isBehind).to.equal(false);
    await lookout.until(bodies, ([name]) => name === 'Acme 2');
    const reported = events.filter(({ _tag, projection }) => _tag === 'Interrupted' && projection === 'businesses');
    expect(reported).to.have.length(1);
  });

  const asked = (database: ReadModelQueries) =>
    Promise.all([
      database.of(businesses).byId(randomUUID()),
      database.of(businesses).page({}, { order: IN_CREATION_ORDER, limit: 1 }),
      database.of(businesses).all({}, { order: IN_CREATION_ORDER }),
      database.of(businesses).all({}, { order: IN_CREATION_ORDER, after: { id: randomUUID() } }),
      documentQueries(database.of(documents)).fileOf(randomUUID()),
      database.ping(),
    ]);

  it('every query fails at once, and works again when it is back', async () => {
    await shown(await append(store, `business-${randomUUID()}`, 0n, created('Acme')));
    expect(await bodies()).to.deep.equal(['Acme']);
    proxy.sever();
    const answers = await asked(queries);
    expect(
      answers.map((answer: E.Either<{ readonly _tag: string }, unknown>) => E.isLeft(answer) && answer.left._tag),
    ).to.deep.equal(answers.map(() => 'ReadModelUnavailable'));
    proxy.mend();
    await lookout.until(bodies, ([name]) => name === 'Acme');
  });

  it('no query hangs on a database that is silent', async () => {
    const sockets = new Set<net.Socket>();
    const silent = net.createServer((socket) => void sockets.add(socket));
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as net.AddressInfo;
    const deaf = makeReadModelQueries(systemRuntime.clock, { connectionString: `postgres://a:b@127.0.0.1:${port}/c` });
    const answers = await asked(deaf);
    expect(answers.map((answer: E.Either<{ readonly _tag: string }, unknown>) => E.isLeft(answer))).to.deep.equal(
      answers.map(() => true),
    );
    await deaf.close();
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it('a process that starts has tried what it can, and does not count as starting for ever', async () => {
    proxy.sever();
    const starting = start(() => undefined);
    const hasTried = (): boolean =>
      starting.all.every(({ status }) => status().projector._tag !== 'Starting' && status().isExamined);
    try {
      await lookout.until(hasTried);
    } finally {
      await starting.stop();
    }
  });
});
