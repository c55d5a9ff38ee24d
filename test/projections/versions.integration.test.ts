import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { businesses } from '../../projections/businesses.js';
import { dropOutdated } from '../../projections/engine/generation/drop-outdated.js';
import { updatePrevious } from '../../projections/engine/run/update-previous.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { operationsOn } from '../../projections/engine/operations.js';
import { rollBack } from '../../projections/engine/rebuild/rollback.js';
import { changed, type Engine, gated, makeEngine, orThrow, outcomeOf } from '../support/engine.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { startingPostgres } from '../support/postgres.js';
import { append, created, renamed } from './appending.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { storageIn } from '../support/read-model-storage.js';

/** In each it may switch. */
const SOME_TURNS = 3;

describe('versions of a read model', function () {
  this.timeout(startingPostgres);
  let engine: Engine;

  beforeEach(async () => {
    engine = await makeEngine();
  });

  afterEach(() => engine.close());

  it('a new one is built beside the live one, which serves until the new one has caught up', async () => {
    const { store } = engine;
    const old = engine.follow(businesses);
    await engine.shown(old, await append(store, `business-${randomUUID()}`, 0n, created('Acme')));
    await old.stop();
    const following = gated(store);
    const next = engine.follow(changed, following);
    await engine.said('changed Projecting');
    const position = await append(store, `business-${randomUUID()}`, 0n, created('Bolt'));
    expect([await engine.roles(), await engine.names()]).to.deep.equal([['live', 'building'], ['Acme']]);
    following.open();
    expect(await engine.shown(next, position)).to.equal(true);
    expect([await engine.roles(), await engine.names()]).to.deep.equal([
      ['previous', 'live'],
      ['Acme', 'Bolt'],
    ]);
  });

  it('an old one takes over again when nobody writes the new one any more', async () => {
    const { store } = engine;
    const id = randomUUID();
    const old = engine.follow(businesses);
    await engine.shown(old, await append(store, `business-${id}`, 0n, created('Acme')));
    await old.stop();
    const next = engine.follow(changed);
    await engine.said('changed Switched');
    await engine.shown(next, await append(store, `business-${id}`, 1n, renamed('Acme 2')));
    await next.stop();
    const again = engine.follow(businesses);
    const position = await append(store, `business-${id}`, 2n, renamed('Acme 3'));
    expect(await engine.shown(again, position)).to.equal(true);
    expect([await engine.roles(), await engine.names()]).to.deep.equal([['live', 'previous'], ['Acme 3']]);
  });

  /** What a service with the businesses does for previous rows, and how often it has begun to. */
  const update = () => {
    const stopping = new AbortController();
    let turns = 0;
    const isSameLog = (): boolean => {
      turns += 1;
      return true;
    };
    const { runtime, storage, store } = engine;
    const updating = {
      ...{ runtime, storage, store, projection: businesses, windowMs: 60_000 },
      ...{ isSameLog, onEvent: () => undefined },
    };
    const stopped = updatePrevious(updating, stopping.signal);
    const stop = async (): Promise<void> => {
      stopping.abort();
      await stopped;
    };
    return { turns: () => turns, stop };
  };

  it('an old one takes over also when whoever updates previous rows came before its projector', async () => {
    const { store } = engine;
    const stream = `business-${randomUUID()}` as const;
    const old = engine.follow(businesses);
    await engine.shown(old, await append(store, stream, 0n, created('Acme')));
    await old.stop();
    const next = engine.follow(changed);
    await engine.said('changed Switched');
    const updating = update();
    try {
      // a second turn: the first one has taken what it takes
      await engine.until(() => updating.turns() > 1);
      await next.stop();
      const again = engine.follow(businesses);
      expect(await engine.shown(again, await append(store, stream, 1n, renamed('Acme 2')))).to.equal(true);
      expect(await engine.roles()).to.deep.equal(['live', 'previous']);
    } finally {
      await updating.stop();
    }
  });

  it('whoever updates previous rows gives them back as soon as another version is live', async () => {
    const { store } = engine;
    const stream = `business-${randomUUID()}` as const;
    await append(store, stream, 0n, created('Acme'));
    await engine.rebuild();
    await engine.rebuild();
    const updating = update();
    try {
      await engine.until(() => engine.holder('previous'));
      const next = engine.follow(changed);
      await engine.said('changed Switched');
      await next.stop();
      const before = updating.turns();
      await engine.until(() => updating.turns() > before + 2);
      // of the two that are previous now, it goes on with the one that was live last
      const again = engine.follow(businesses);
      expect(await engine.shown(again, await append(store, stream, 1n, renamed('Acme 2')))).to.equal(true);
      expect(await engine.roles()).to.deep.equal(['live', 'previous']);
    } finally {
      await updating.stop();
    }
  });

  it('two side by side do not replace each other again and again: the replaced one only keeps up', async () => {
    const { store, events } = engine;
    let turns = 0;
    const head: EventStore['head'] = (categories) => {
      turns += 1;
      return store.head(categories);
    };
    engine.follow(changed, { store: { ...store, head } });
    await engine.said('changed Projecting');
    engine.follow(businesses);
    await engine.said('businesses Switched');
    await engine.said('changed Projecting', 2);
    await append(store, `business-${randomUUID()}`, 0n, created('Acme'));
    const checkpoints = () => Promise.all([engine.checkpoint('previous'), engine.checkpoint('live')]);
    await engine.until(checkpoints, (all) => all.every((at) => at === '1'));
    const before = turns;
    await engine.until(() => turns > before + SOME_TURNS);
    const switches = events.filter((event) => event.endsWith('Switched'));
    expect([await engine.roles(), switches]).to.deep.equal([['previous', 'live'], ['businesses Switched']]);
  });

  it('the rows of an old one stay while somebody writes them, however long ago they were replaced', async () => {
    const { store, database } = engine;
    const old = engine.follow(businesses);
    await engine.shown(old, await append(store, `business-${randomUUID()}`, 0n, created('Acme')));
    engine.follow(changed);
    await engine.said('changed Switched');
    await engine.said('businesses Projecting', 2);
    for (const version of [changed, businesses]) await dropOutdated(storageIn(database), version, 0);
    expect(await engine.roles()).to.deep.equal(['previous', 'live']);
    await old.stop();
    await dropOutdated(storageIn(database), changed, 0);
    expect(await engine.roles()).to.deep.equal(['live']);
  });

  it('a new one is not begun beside live rows of another log', async () => {
    const old = engine.follow(businesses);
    await engine.shown(old, await append(engine.store, `business-${randomUUID()}`, 0n, created('Acme')));
    await old.stop();
    engine.follow(changed, { store: makeInMemoryEventStore() });
    expect(await engine.said('changed WrongLog')).to.equal(true);
    expect(await engine.roles()).to.deep.equal(['live']);
  });

  it('a new one waits for a long reader of the live rows so that no other reader has to', async () => {
    const old = engine.follow(businesses);
    await engine.shown(old, await append(engine.store, `business-${randomUUID()}`, 0n, created('Acme')));
    const reader = await engine.database.connect();
    try {
      await reader.query('begin');
      await reader.query('select from read_model.businesses');
      engine.follow(changed);
      expect(await engine.blockedSwitches()).to.equal(1);
      // it would wait for ever
      expect(await engine.names()).to.deep.equal(['Acme']);
    } finally {
      await reader.query('rollback');
      reader.release();
    }
    expect(await engine.said('changed Switched')).to.equal(true);
  });

  it('one works on the rows of no other: it neither verifies, repairs nor rebuilds them, nor goes back to them or from them', async () => {
    const { store, database } = engine;
    const stream = `business-${randomUUID()}` as const;
    const old = engine.follow(businesses);
    await engine.shown(old, await append(store, stream, 0n, created('Acme')));
    await old.stop();
    const [onOther] = orThrow(await operationsOn(systemRuntime, store, storageIn(database), [changed])).readModels;
    const [quiet, { signal }] = [() => undefined, new AbortController()];
    const verified = await onOther?.verify({
      sample: undefined,
      onDrift: () => Promise.resolve(),
      onChecked: quiet,
      signal,
    });
    expect([verified, await onOther?.repair(stream)].map((one) => one && E.isLeft(one) && one.left._tag)).to.deep.equal(
      ['NoLiveRows', 'NoLiveRows'],
    );
    expect(await outcomeOf(engine.rebuild({ projection: changed }))).to.include({ _tag: 'NotAllowed' });
    const next = engine.follow(changed);
    await engine.said('changed Switched');
    await next.stop();
    for (const projection of [businesses, changed]) {
      const back = await rollBack({ runtime: systemRuntime, storage: storageIn(database), store, projection, signal });
      expect(E.isLeft(back) && back.left._tag).to.equal('NotAllowed');
    }
    expect(await engine.roles()).to.deep.equal(['previous', 'live']);
  });

  it('an old one that waits for the right to write its rows makes them anew when they are dropped meanwhile', async () => {
    const { store } = engine;
    const old = engine.follow(businesses);
    await engine.shown(old, await append(store, `business-${randomUUID()}`, 0n, created('Acme')));
    await old.stop();
    await engine.takeLease('live');
    engine.follow(businesses);
    await engine.said('businesses StandingBy');
    engine.follow(changed);
    await engine.said('changed Switched');
    const name = await engine.tableOf('previous');
    await engine.storage.change(businesses, () => ({ drop: [name] }));
    expect(await engine.said('businesses Switched')).to.equal(true);
    expect([await engine.roles(), await engine.names()]).to.deep.equal([['previous', 'live'], ['Acme']]);
  });
});
