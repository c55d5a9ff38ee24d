import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { beforeStatement } from '../support/before-statement.js';
import { type Engine, makeEngine, outcomeOf } from '../support/engine.js';
import { startingPostgres } from '../support/postgres.js';
import { append, created, renamed } from './appending.js';
import { storageIn } from '../support/read-model-storage.js';

const SLOW_READ_MS = 60;
const GROWING_READS = 5;

const MORE_THAN_A_FETCH = 201;

/** More than are read in the time for which a rebuild holds up the service. */
const TOO_MANY_AT_ONCE = 8;

describe('the comparison of rebuilt rows with the live ones', function () {
  this.timeout(startingPostgres);
  let engine: Engine;

  beforeEach(async () => {
    engine = await makeEngine();
  });

  afterEach(() => engine.close());

  it('finds a column for a filter that differs alone, and one that is null on one side only', async () => {
    const service = engine.serve();
    const [emptied, changed, whole] = [randomUUID(), randomUUID(), randomUUID()].sort();
    await append(engine.store, `business-${emptied}`, 0n, created('Emptied', { ein: '1' }));
    await append(engine.store, `business-${changed}`, 0n, created('Changed', { ein: '2' }));
    const last = await append(engine.store, `business-${whole}`, 0n, created('Whole', { ein: '3' }));
    await engine.shown(service, last);
    await engine.database.query('update read_model.businesses set ein = null where id = $1', [emptied]);
    await engine.database.query(`update read_model.businesses set ein = '7' where id = $1`, [changed]);
    const { differences, compared } = await engine.rebuild({ decide: () => Promise.resolve('keep') });
    expect(differences.map(({ id, ...rest }) => ({ id, fields: 'fields' in rest && rest.fields }))).to.deep.equal([
      { id: emptied, fields: ['ein'] },
      { id: changed, fields: ['ein'] },
    ]);
    expect(compared).to.include({ differing: 2, onlyLive: 0, onlyRebuilt: 0 });
  });

  it('waits until both show the same events, however slowly the log is read while it grows', async () => {
    const { byStream: _, ...store } = engine.store;
    const stream = `business-${randomUUID()}` as const;
    const service = engine.serve();
    await engine.shown(service, await append(store, stream, 0n, created('0')));
    let revision = 0n;
    let reads = 0;
    const grow = async (): Promise<void> => {
      reads += 1;
      for (let count = 0; reads <= GROWING_READS && count < TOO_MANY_AT_ONCE; count += 1) {
        revision += 1n;
        await append(store, stream, revision, renamed(String(revision)));
      }
    };
    const readAll: EventStore['readAll'] = async function* (range) {
      await grow();
      for await (const { events } of store.readAll(range))
        for (const event of events) {
          // pauses: a rebuild measures in real time how fast it reads a log that grows
          await delay(SLOW_READ_MS);
          yield { events: [event], checkpoint: checkpointOf(event) };
        }
    };
    const { compared, outcome } = await engine.rebuild({ store: { ...store, readAll } });
    expect(compared).to.include({ differing: 0, onlyLive: 0, onlyRebuilt: 0 });
    expect(outcome).to.equal('Switched');
    const last = String(revision);
    await engine.until(engine.names, ([name]) => name === last);
  });

  it('counts every difference, however many there are', async () => {
    const service = engine.serve();
    let last = 0n;
    for (let count = 0; count < MORE_THAN_A_FETCH; count += 1)
      last = await append(engine.store, `business-${randomUUID()}`, 0n, created('Acme'));
    await engine.shown(service, last);
    await engine.database.query(`update read_model.businesses set ein = '7'`);
    const { differences, compared } = await engine.rebuild({ decide: () => Promise.resolve('keep') });
    expect([differences.length, compared?.differing]).to.deep.equal([MORE_THAN_A_FETCH, MORE_THAN_A_FETCH]);
  });

  it('sees nothing of what is written once both showed the same events', async () => {
    const service = engine.serve();
    const stream = `business-${randomUUID()}` as const;
    await engine.shown(service, await append(engine.store, stream, 0n, created('Acme')));
    const write = async () => engine.shown(service, await append(engine.store, stream, 1n, renamed('Acme 2')));
    const { compared } = await engine.rebuild({
      storage: storageIn(beforeStatement(engine.database, 'declare', write)),
    });
    expect(compared).to.include({ differing: 0, onlyLive: 0, onlyRebuilt: 0 });
    expect(await engine.names()).to.deep.equal(['Acme 2']);
  });

  it('leaves no transaction open when its report cannot be written', async () => {
    const service = engine.serve();
    await engine.shown(service, await append(engine.store, `business-${randomUUID()}`, 0n, created('Acme')));
    await service.stop();
    await engine.database.query(`update read_model.businesses set ein = '7'`);
    const full = new Error('no space for the report');
    const differences = { keep: 3, onDifference: () => Promise.reject(full) };
    expect(await outcomeOf(engine.rebuild({ differences }))).to.equal(full);
    const observer = new pg.Client({ connectionString: engine.connectionString });
    await observer.connect();
    // nobody gets it while a transaction that has read the rows is open
    const table = `read_model.${await engine.tableOf('building')}`;
    await observer.query(`set lock_timeout = '30s'; begin; lock table ${table} in access exclusive mode; commit`);
    await observer.end();
  });

  it('is made where the live rows are, though the log goes further', async () => {
    const { byStream: _, ...store } = engine.store;
    const service = engine.serve();
    const stream = `business-${randomUUID()}` as const;
    const shown = await append(store, stream, 0n, created('Acme'));
    await engine.shown(service, shown);
    await service.stop();
    await append(store, stream, 1n, renamed('Acme 2'));
    await append(store, `business-${randomUUID()}`, 0n, created('Bolt'));
    const { compared } = await engine.rebuild({ store, decide: () => Promise.resolve('keep') });
    expect(compared).to.include({ at: shown, differing: 0, onlyLive: 0, onlyRebuilt: 0 });
  });
});

const checkpointOf = ({ position }: StoredEvent) => ({ commit: position, prepare: position });
