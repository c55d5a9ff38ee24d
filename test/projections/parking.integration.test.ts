import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { businesses } from '../../projections/businesses.js';
import { type Engine, makeEngine } from '../support/engine.js';
import { eventually } from '../support/eventually.js';
import { startingPostgres } from '../support/postgres.js';
import { append, created, renamed, sealed } from './appending.js';

describe('a parked entity', function () {
  this.timeout(startingPostgres);
  let engine: Engine;

  beforeEach(async () => {
    engine = await makeEngine();
  });

  afterEach(() => engine.close());

  it('counts every event that waits, whenever it came', async () => {
    const { store } = engine;
    const operations = await engine.operations();
    const service = engine.serve();
    const stream = `business-${randomUUID()}` as const;
    const waiting = async (): Promise<number | undefined> => (await operations.findParked(stream))?.waiting;
    const unreadable = sealed(renamed('From the future'), stream, 1n, 99);
    await engine.shown(service, await append(store, stream, 0n, created('Acme'), unreadable));
    expect(await waiting()).to.equal(1);
    await engine.shown(service, await append(store, stream, 2n, renamed('Later'), renamed('Later still')));
    expect(await waiting()).to.equal(3);
    await engine.shown(service, await append(store, stream, 4n, renamed('Last')));
    expect(await waiting()).to.equal(4);
  });

  it('holds up none of those whose events come together with one that cannot be read', async () => {
    const { store } = engine;
    const service = engine.serve();
    const [bad, good] = [`business-${randomUUID()}`, `business-${randomUUID()}`] as const;
    await engine.shown(service, await append(store, good, 0n, created('Bolt')));
    // what arrives while one batch waits to be written is the next batch
    await engine.whileLiveIsLocked(async () => {
      const since = new Date();
      await append(store, `business-${randomUUID()}`, 0n, created('Cord'));
      await eventually(() => engine.waiting(since), Boolean);
      await append(store, bad, 0n, created('Acme'), sealed(renamed('From the future'), bad, 1n, 99));
      await append(store, good, 1n, renamed('Bolt 2'));
    });
    expect(await engine.shown(service, await append(store, good, 2n, renamed('Bolt 3')))).to.equal(true);
    await engine.shown(service, await append(store, good, 3n, renamed('Bolt 4')));
    expect(await engine.names()).to.deep.equal(['Bolt 4', 'Cord', 'Acme']);
    expect((await (await engine.operations()).listParked(10)).map(({ stream }) => stream)).to.deep.equal([bad]);
  });

  it('waits at the first of two events that come together and can both not be projected', async () => {
    const { store } = engine;
    const service = engine.serve();
    const stream = `business-${randomUUID()}` as const;
    const unreadable = sealed(renamed('From the future'), stream, 1n, 99);
    await engine.shown(service, await append(store, stream, 0n, created('no row can hold \0'), unreadable));
    expect(await (await engine.operations()).findParked(stream)).to.include({ revision: 0n, waiting: 2 });
  });

  it('is recorded when the reason, or the name of its stream, has what no text in Postgres can hold', async () => {
    const { store } = engine;
    const { decode, ...serde } = businesses.serde;
    const process = engine.follow({
      ...businesses,
      serde: {
        ...serde,
        decode: (stored) =>
          stored.data.includes('Acme') ? E.left({ _tag: 'UndecodableEvent', stored, reason: 'a\0b' }) : decode(stored),
      },
    });
    const stream = `business-${randomUUID()}` as const;
    await append(store, stream, 0n, created('Acme'));
    await append(store, 'business-c\0d', 0n, created('Bolt'));
    expect(await engine.shown(process, await append(store, `business-${randomUUID()}`, 0n, created('Cord')))).to.equal(
      true,
    );
    const parked = await (await engine.operations()).listParked(10);
    expect(parked.map(({ stream: named, error }) => [named, error])).to.have.deep.members([
      [stream, 'a\ufffdb'],
      ['business-c\ufffdd', 'the id is not a UUID'],
    ]);
  });

  it('is counted once, in the rows that are live, though those that were replaced hold it, too', async () => {
    const { store } = engine;
    const service = engine.serve();
    const stream = `business-${randomUUID()}` as const;
    const unreadable = sealed(renamed('From the future'), stream, 1n, 99);
    await engine.shown(service, await append(store, stream, 0n, created('Acme'), unreadable));
    await engine.rebuild();
    expect([await engine.roles(), await service.parked()]).to.deep.equal([['previous', 'live'], { businesses: 1 }]);
  });

  it('stays parked over a restart while its event still cannot be read', async () => {
    const { store } = engine;
    const first = engine.serve();
    const stream = `business-${randomUUID()}` as const;
    const unreadable = sealed(renamed('From the future'), stream, 1n, 99);
    await engine.shown(first, await append(store, stream, 0n, created('Acme'), unreadable));
    await first.stop();
    const second = engine.serve();
    await engine.shown(second, await append(store, `business-${randomUUID()}`, 0n, created('Bolt')));
    expect(await (await engine.operations()).findParked(stream)).to.include({ revision: 1n, waiting: 1 });
    expect(engine.events).to.not.include('businesses Unparked');
  });
});
