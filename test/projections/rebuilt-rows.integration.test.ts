import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { businesses } from '../../projections/businesses.js';
import { versionOf } from '../../projections/version.js';
import { type EventStore, StoreUnavailable } from '../../src/event-sourcing/event-store.js';
import { beforeStatement } from '../support/before-statement.js';
import { changed, type Engine, makeEngine, outcomeOf } from '../support/engine.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { startingPostgres } from '../support/postgres.js';
import { stored } from '../support/recorded.js';
import { append, created, renamed, sealed } from './appending.js';
import { ownStorage, storageIn } from '../support/read-model-storage.js';

const MANY_PAGES = 40;
const EVENTS_OF_A_PAGE = 250;

describe('rows that an operator has rebuilt', function () {
  this.timeout(startingPostgres);
  let engine: Engine;

  beforeEach(async () => {
    engine = await makeEngine();
  });

  afterEach(() => engine.close());

  /** The log with its parts so small that each stream is loaded in one of its own. */
  const inManyParts = () => {
    const { byStream, ...others } = engine.store;
    return { ...others, byStream: { ...byStream!, divide: (category: string) => byStream!.divide(category, 1) } };
  };

  const businessOf = (name: string, stream: `business-${string}` = `business-${randomUUID()}`) => ({
    stream,
    event: sealed(created(name), stream, 0n),
  });
  const lost = businessOf('Lost');

  for (const [instead, words] of [
    [businessOf('Instead'), 'an event of another stream'],
    [businessOf('Instead', lost.stream), 'another event of its stream'],
  ] as const)
    it(`are not served when the log is restored with ${words} for the last one that they show`, async () => {
      const kept = ['Acme', 'Bolt', 'Cord'].map((name) => businessOf(name));
      for (const { stream, event } of [...kept, lost]) await append(engine.store, stream, 0n, event);
      await engine.rebuild({ store: inManyParts() });

      const restored = makeInMemoryEventStore();
      const identity = await engine.store.identity();
      await restored.adoptIdentity(E.getOrElse(() => '')(identity));
      for (const { stream, event } of [...kept, instead]) await append(restored, stream, 0n, event);
      const { byName } = engine.serve({ store: restored });
      const wrongLog = () => byName('businesses').wrongLog()?.reason;
      expect(await engine.until(wrongLog)).to.contain(lost.event.id);
    });

  it('are made anew when another version of the program has left an unfinished rebuild', async () => {
    await append(engine.store, `business-${randomUUID()}`, 0n, created('Acme'));
    await engine.rebuild({ projection: changed, decide: () => Promise.resolve('keep') });
    const { outcome } = await engine.rebuild();
    expect([outcome, await engine.roles(), await engine.versions()]).to.deep.equal([
      'Switched',
      ['live'],
      [versionOf(businesses)],
    ]);
    const { rows } = await engine.database.query('select name from read_model.businesses');
    expect(rows).to.deep.equal([{ name: 'Acme' }]);
  });

  it('are made anew when those that a rebuild of another log has left unfinished are found', async () => {
    await append(engine.store, `business-${randomUUID()}`, 0n, created('Acme'));
    await engine.rebuild({ decide: () => Promise.resolve('keep') });
    const store = makeInMemoryEventStore();
    await append(store, `business-${randomUUID()}`, 0n, created('Bolt'));
    const { outcome } = await engine.rebuild({ store });
    expect([outcome, await engine.roles(), await engine.names()]).to.deep.equal(['Switched', ['live'], ['Bolt']]);
  });

  it('hold nothing of an unfinished rebuild when they are made from scratch', async () => {
    await append(engine.store, `business-${randomUUID()}`, 0n, created('Acme'));
    const { generation } = await engine.rebuild({ decide: () => Promise.resolve('keep') });
    await engine.database.query(`update read_model.${generation} set body = replace(body, 'Acme', 'Wrong')`);
    await engine.rebuild({ isFromScratch: true });
    expect([await engine.roles(), await engine.names()]).to.deep.equal([['live'], ['Acme']]);
  });

  it('are not served when the log is restored without their last event, whichever of their streams it belongs to', async () => {
    const [one, other] = [randomUUID(), randomUUID()].sort().map((id) => `business-${id}` as const);
    const [first, second] = [businessOf('Acme', one), businessOf('Bolt', other)];
    const last = sealed(renamed('Lost'), first.stream, 1n);
    for (const { stream, event } of [first, second]) await append(engine.store, stream, 0n, event);
    await append(engine.store, first.stream, 1n, last);
    await engine.rebuild();

    const restored = makeInMemoryEventStore();
    await restored.adoptIdentity(E.getOrElse(() => '')(await engine.store.identity()));
    for (const { stream, event } of [first, second, businessOf('Instead')]) await append(restored, stream, 0n, event);
    const { byName } = engine.serve({ store: restored });
    expect(await engine.until(() => byName('businesses').wrongLog()?.reason)).to.contain(last.id);
  });

  it('count once what waits for a parked entity, though a load by parts was taken back', async () => {
    const [one, other] = [randomUUID(), randomUUID()].sort();
    const stream = `business-${one}` as const;
    await append(engine.store, stream, 0n, created('Acme'), sealed(renamed('From the future'), stream, 1n, 99));
    await append(engine.store, `business-${other}`, 0n, created('no row can hold \0'));
    await engine.rebuild({ store: inManyParts() });
    expect(await (await engine.operations()).findParked(stream)).to.include({ revision: 1n, waiting: 1 });
  });

  it('do not replace those of another log that a process has begun to write meanwhile', async () => {
    const service = engine.serve();
    await engine.shown(service, await append(engine.store, `business-${randomUUID()}`, 0n, created('Acme')));
    await service.stop();
    const rebuilding = engine.rebuild({
      store: makeInMemoryEventStore(),
      isFromOtherLog: true,
      decide: async () => {
        await engine.takeLease('live');
        return 'switch';
      },
    });
    expect(await outcomeOf(rebuilding)).to.include({ _tag: 'NotAllowed' });
    expect([await engine.roles(), await engine.names()]).to.deep.equal([['live', 'building'], ['Acme']]);
  });

  it('show what was appended between a load that was ended and the one that goes on with it', async () => {
    const [one, other] = [randomUUID(), randomUUID()].sort().map((id) => `business-${id}` as const);
    await append(engine.store, one!, 0n, created('Acme'));
    await append(engine.store, other!, 0n, created('Bolt'));
    const ending = new AbortController();
    const onProgress = (_events: number, share: number): void => {
      if (share > 0) ending.abort(new Error('ended'));
    };
    const observer = {
      onOpened: () => undefined,
      onChunksLoaded: () => undefined,
      onProgress,
      onBuilt: () => undefined,
    };
    const store = inManyParts();
    expect(await outcomeOf(engine.rebuild({ store, observer, signal: ending.signal }))).to.equal(ending.signal.reason);
    await append(engine.store, one!, 1n, renamed('Acme 2'));
    const told: Array<unknown> = [];
    await engine.rebuild({
      store,
      observer: {
        ...observer,
        onChunksLoaded: (loaded, chunks) => void told.push({ loaded, chunks }),
        onProgress: (_events, share) => void told.push({ share }),
      },
    });
    expect(told.slice(0, 2)).to.deep.equal([{ loaded: 1, chunks: 2 }, { share: 0.5 }]);
    expect(await engine.names()).to.deep.equal(['Acme 2', 'Bolt']);
  });

  it('keep what is loaded of them when the log fails, and are made of the rest alone', async () => {
    for (const name of ['Acme', 'Bolt']) await append(engine.store, `business-${randomUUID()}`, 0n, created(name));
    const { byStream, ...others } = inManyParts();
    const away = new StoreUnavailable('the log is away');
    let parts = 0;
    async function* read(...[range, upTo]: Parameters<NonNullable<EventStore['byStream']>['read']>) {
      parts += 1;
      if (parts === 2) throw away;
      yield* byStream.read(range, upTo);
    }
    const store = { ...others, byStream: { ...byStream, read } };
    expect(await outcomeOf(engine.rebuild({ store }))).to.equal(away);
    await engine.rebuild({ store });
    expect([parts, (await engine.names()).toSorted()]).to.deep.equal([3, ['Acme', 'Bolt']]);
  });

  it('do not become live while one of their indexes could not be made', async () => {
    await append(engine.store, `business-${randomUUID()}`, 0n, created('Acme'));
    const full = new Error('no space for an index');
    const storage = storageIn(beforeStatement(engine.database, 'create index', () => Promise.reject(full)));
    expect(await outcomeOf(engine.rebuild({ storage }))).to.equal(full);
    expect(await engine.roles()).to.deep.equal(['building']);
  });

  it('are not loaded any further once the rebuild is ended', async () => {
    await append(engine.store, `business-${randomUUID()}`, 0n, created('Acme'));
    const ending = new AbortController();
    let pages = 0;
    async function* read() {
      for (pages = 0; pages < MANY_PAGES; pages += 1) {
        if (pages === 1) ending.abort(new Error('ended'));
        await turn();
        yield Array.from({ length: EVENTS_OF_A_PAGE }, () =>
          stored({ type: 'BusinessCreated', data: { name: 'Acme' } }, { stream: `business-${randomUUID()}` }),
        );
      }
    }
    const store = { ...engine.store, byStream: { ...engine.store.byStream!, read } };
    expect(await outcomeOf(engine.rebuild({ store, signal: ending.signal }))).to.equal(ending.signal.reason);
    expect(pages).to.be.below(MANY_PAGES);
  });

  it('are not written on when an older log takes the place of theirs, though that one grows', async () => {
    const [kept, ...later] = ['Acme', 'Instead', 'Other'].map((name) => businessOf(name));
    await append(engine.store, kept!.stream, 0n, kept!.event);
    const last = await append(engine.store, lost.stream, 0n, lost.event);
    const restored = makeInMemoryEventStore();
    await restored.adoptIdentity(E.getOrElse(() => '')(await engine.store.identity()));
    await append(restored, kept!.stream, 0n, kept!.event);
    const replacing = new AbortController();
    const now = (): EventStore => (replacing.signal.aborted ? restored : engine.store);
    const store: EventStore = {
      ...engine.store,
      head: (categories) => now().head(categories),
      reaches: (checkpoint) => now().reaches(checkpoint),
      readStream: (stream, range) => now().readStream(stream, range),
      subscribe: async function* (range, signal) {
        yield* now().subscribe(range, AbortSignal.any([signal, replacing.signal]));
        if (!signal.aborted) yield* restored.subscribe({ ...range, after: { commit: last, prepare: last } }, signal);
      },
    };
    const first = engine.serve();
    await engine.shown(first, last);
    await first.stop();
    let openings = 0;
    const storage = ownStorage(engine.connectionString);
    const migrate = (): Promise<void> => {
      openings += 1;
      return storage.migrate();
    };
    const service = engine.serve({ store, storage: { ...storage, migrate } });
    await engine.shown(service, last);
    const { status, wrongLog } = service.byName('businesses');
    await engine.until(() => status().isExamined && status().projector._tag === 'Projecting');
    replacing.abort();
    expect(await engine.until(() => wrongLog()?.difference)).to.equal('OtherPast');
    for (const { stream, event } of later) await append(restored, stream, 0n, event);
    const before = openings;
    await engine.until(() => openings > before + 1);
    expect(await engine.names()).to.deep.equal(['Acme', 'Lost']);
  });
});
