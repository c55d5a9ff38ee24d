import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
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
});
