import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { businesses } from '../../projections/businesses.js';
import { dropOutdated } from '../../projections/engine/generation/drop-outdated.js';
import { changed, type Engine, gated, makeEngine } from '../support/engine.js';
import { eventually } from '../support/eventually.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { startingPostgres } from '../support/postgres.js';
import { append, created, renamed } from './appending.js';

const LONGER_THAN_A_TURN_MS = 1_500;

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

  it('two side by side do not take turns: the one that was replaced only keeps up', async () => {
    const { store, events } = engine;
    engine.follow(changed);
    await engine.said('changed Projecting');
    engine.follow(businesses);
    await engine.said('businesses Switched');
    const begun = () => events.filter((event) => event === 'changed Projecting').length;
    expect(await eventually(begun, (times) => times === 2)).to.equal(2);
    await append(store, `business-${randomUUID()}`, 0n, created('Acme'));
    const checkpoints = () => Promise.all([engine.checkpoint('previous'), engine.checkpoint('live')]);
    expect(await eventually(checkpoints, (all) => all.every((at) => at === '1'))).to.deep.equal(['1', '1']);
    const switches = () => events.filter((event) => event.endsWith('Switched'));
    await eventually(switches, ({ length }) => length > 1, LONGER_THAN_A_TURN_MS);
    expect([await engine.roles(), switches()]).to.deep.equal([['previous', 'live'], ['businesses Switched']]);
  });

  it('the rows of an old one stay while somebody writes them, however long ago they were replaced', async () => {
    const { store, database, events } = engine;
    const old = engine.follow(businesses);
    await engine.shown(old, await append(store, `business-${randomUUID()}`, 0n, created('Acme')));
    engine.follow(changed);
    await engine.said('changed Switched');
    const begun = () => events.filter((event) => event === 'businesses Projecting').length;
    expect(await eventually(begun, (times) => times === 2)).to.equal(2);
    await dropOutdated(database, changed, 0);
    expect(await engine.roles()).to.deep.equal(['previous', 'live']);
    await old.stop();
    await dropOutdated(database, changed, 0);
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
});
