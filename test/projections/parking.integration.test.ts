import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { businesses } from '../../projections/businesses.js';
import { readStatuses } from '../../projections/engine/postgres/read-statuses.js';
import { type Engine, makeEngine } from '../support/engine.js';
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
      await engine.blocked(since);
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

  it('is no longer parked alone: another one that still cannot be projected stays', async () => {
    const { store, database } = engine;
    const first = engine.serve();
    const [mended, unreadable] = [`business-${randomUUID()}`, `business-${randomUUID()}`] as const;
    await engine.shown(first, await append(store, `business-${randomUUID()}`, 0n, created('Good')));
    const table = `read_model.${await engine.tableOf('live')}`;
    await database.query(`alter table ${table} add constraint picky check (name <> 'Bad')`);
    await append(store, mended, 0n, created('Bad'));
    const last = await append(store, unreadable, 0n, sealed(created('From the future'), unreadable, 0n, 99));
    await engine.shown(first, last);
    await first.stop();
    await database.query(`alter table ${table} drop constraint picky`);
    engine.serve();
    expect(await engine.said('businesses Unparked')).to.equal(true);
    const parked = await (await engine.operations()).listParked(10);
    expect(parked.map(({ stream }) => stream)).to.deep.equal([unreadable]);
  });

  it('is in no rebuild that was begun before its event was skipped: the next one begins anew', async () => {
    const { store } = engine;
    const service = engine.serve();
    const stream = `business-${randomUUID()}` as const;
    const unreadable = sealed(renamed('From the future'), stream, 1n, 99);
    await engine.shown(service, await append(store, stream, 0n, created('Acme'), unreadable, renamed('After')));
    const keep = { decide: () => Promise.resolve('keep' as const) };
    const before = await engine.rebuild(keep);
    expect((await engine.rebuild(keep)).generation).to.equal(before.generation);
    const businessesOf = (await engine.operations()).showing(stream);
    const decision = { actor: 'olivia', reason: 'unreadable', at: new Date() };
    await businessesOf?.recordSkip({ stream, revision: 1n, eventId: unreadable.id }, decision);
    await businessesOf?.repair(stream);
    const after = await engine.rebuild();
    expect(after.generation).to.not.equal(before.generation);
    expect([after.differences, after.outcome]).to.deep.equal([[], 'Switched']);
    expect(await engine.names()).to.deep.equal(['After']);
  });

  it('is forgotten with the rows that hold it', async () => {
    const stream = `business-${randomUUID()}` as const;
    await append(engine.store, stream, 0n, created('Acme'), sealed(renamed('From the future'), stream, 1n, 99));
    const { outcome } = await engine.rebuild({ decide: () => Promise.resolve('drop') });
    const { rows: parked } = await engine.database.query('select stream from read_model.parked');
    expect([outcome, parked]).to.deep.equal(['Dropped', []]);
  });

  it('is counted in the status of its rows, which tells why the last one was parked, and listed after those that are parked longer', async () => {
    const { store } = engine;
    const service = engine.serve();
    for (const version of [99, 98]) {
      const stream = `business-${randomUUID()}` as const;
      await engine.shown(service, await append(store, stream, 0n, sealed(created('Acme'), stream, 0n, version)));
    }
    const statuses = await readStatuses(engine.database);
    expect(statuses.find(({ projection }) => projection === 'businesses')).to.include({
      parked: 2,
      lastError: 'schema version 98 is newer than this program',
    });
    const longest = await (await engine.operations()).listParked(1);
    expect(longest.map(({ error }) => error)).to.deep.equal(['schema version 99 is newer than this program']);
  });

  it('is none whose row the database could not store just then, as when the disk is full', async () => {
    const { store, database } = engine;
    const service = engine.serve();
    const stream = `business-${randomUUID()}` as const;
    await engine.shown(service, await append(store, `business-${randomUUID()}`, 0n, created('Good')));
    const table = `read_model.${await engine.tableOf('live')}`;
    await database.query(`create function full_disk() returns trigger language plpgsql as
      $$ begin raise 'no space left' using errcode = '53100'; end $$`);
    await database.query(
      `create trigger full_disk before insert on ${table} for each row when (new.revision >= 0)
       execute function full_disk()`,
    );
    const unreadable = sealed(renamed('From the future'), stream, 1n, 99);
    const last = await append(store, stream, 0n, created('Acme'), unreadable);
    expect(await engine.said('businesses Interrupted')).to.equal(true);
    await database.query(`drop trigger full_disk on ${table}`);
    expect(await engine.shown(service, last)).to.equal(true);
    expect(await engine.names()).to.deep.equal(['Good', 'Acme']);
    expect(await (await engine.operations()).findParked(stream)).to.include({ revision: 1n, waiting: 1 });
  });

  it('of replaced rows does not count when the live ones are verified', async () => {
    const { store, database } = engine;
    const service = engine.serve();
    const stream = `business-${randomUUID()}` as const;
    await engine.shown(service, await append(store, stream, 0n, created('Acme')));
    await database.query(
      `alter table read_model.${await engine.tableOf('live')} add constraint picky check (name <> 'Bad')`,
    );
    await engine.shown(service, await append(store, stream, 1n, renamed('Bad')));
    await service.stop();
    await engine.rebuild();
    const verified = await (await engine.operations()).showing(stream)?.verify({
      sample: undefined,
      onDrift: () => Promise.resolve(),
      onChecked: () => undefined,
      signal: new AbortController().signal,
    });
    expect(verified).to.deep.equal(E.right({ checked: 1, drifted: 0, isComplete: true }));
  });
});
