import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { either as E, option as O } from 'fp-ts';
import { businesses } from '../../projections/businesses.js';
import { businessUseCases } from '../../src/application/business/use-cases.js';
import type { CommandContext } from '../../src/application/command-context.js';
import { businessDecider } from '../../src/domain/business/decide.js';
import { businessSerde } from '../../src/domain/business/serde.js';
import { connect } from '../../src/entities/define-entity.js';
import { projectionsOf, registry, signingRows } from '../../src/entities/registry.js';
import { makeDecisions } from '../../src/event-sourcing/decisions.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import {
  makeReadModelQueries,
  type ReadModelQueries,
} from '../../src/infrastructure/postgres/read-models/make-read-model-queries.js';
import { renderBusiness } from '../../src/read/business-view.js';
import { describeBusinessEvent } from '../../src/read/describe-business-event.js';
import { partLifecycle } from '../../src/read/record-body.js';
import { chainOf } from '../support/command-handler.js';
import { makeEngine, orThrow } from '../support/engine.js';
import { memoryPorts, portsOf } from '../support/memory-ports.js';
import { startingPostgres } from '../support/postgres.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const KEY = 'a key of at least thirty-two bytes';

const definition = {
  name: 'Business',
  decider: businessDecider,
  serde: businessSerde,
  describe: describeBusinessEvent,
  render: () => O.none,
  projection: businesses,
};

const asked = (over: Partial<CommandContext> = {}): CommandContext => ({
  actor: 'alice',
  correlationId: randomUUID(),
  operation: 'PUT /api/v1/business',
  ...over,
});

describe('a row that its service has signed', function () {
  this.timeout(startingPostgres);

  let engine: Awaited<ReturnType<typeof makeEngine>>;
  let closing: Array<() => Promise<unknown>>;
  /** How often a stream was read. */
  let reads: number;

  beforeEach(async () => {
    engine = await makeEngine();
    closing = [engine.close];
    reads = 0;
  });
  afterEach(async () => {
    for (const close of closing.toReversed()) await close();
  });

  const counting = (store: EventStore): EventStore => ({
    ...store,
    readStream: (stream, range) => {
      reads += 1;
      return store.readStream(stream, range);
    },
  });

  /** A process with nothing in memory: its commands, and a projector unless another one projects. */
  const aProcess = async ({ key = KEY, projects = true, handsOver = true } = {}) => {
    const { ports, close } = await memoryPorts();
    const queries: ReadModelQueries = makeReadModelQueries(systemRuntime.clock, {
      connectionString: engine.connectionString,
    });
    closing.push(close, queries.close);
    // a row that is not there soon is not waited for: on a busy machine a connection takes longer than that
    orThrow(await queries.ping());
    const signing = signingRows(registry, key);
    const projection = projectionsOf(signing).find(({ name }) => name === 'businesses')!;
    const decisions = makeDecisions();
    const projections = engine.serve({
      projections: projectionsOf(signing),
      projector: projects,
      ...(handsOver ? { decisions } : {}),
    });
    const { execute } = connect(definition, {
      ...portsOf(ports, definition),
      store: counting(engine.store),
      findTrustedRow: queries.findTrustedRow(projection),
      decisions,
      progress: projections.byName('businesses').progress,
    });
    return { ...businessUseCases(systemRuntime.random, execute), stop: projections.stop };
  };

  const acme = async (): Promise<string> => {
    const { create, stop } = await aProcess();
    const { businessId, projected } = orThrow(await create(asked(), { name: 'Acme', city: 'Rome' }));
    expect(projected).to.equal(true);
    await stop();
    return businessId;
  };

  const stored = async (id: string): Promise<ReadonlyArray<{ readonly type: string; readonly data: unknown }>> =>
    (await chainOf(engine.store, `business-${id}`)).map(({ type, data }) => ({
      type,
      data: JSON.parse(data) as unknown,
    }));

  const rowOf = async (id: string) =>
    (
      await engine.database.query<{ revision: string; body: string; snapshot: string | null }>(
        'select revision, body, snapshot from read_model.businesses where id = $1',
        [id],
      )
    ).rows[0]!;

  it('stands in for the stream, of which nothing is read', async () => {
    const id = await acme();
    const { update } = await aProcess();
    const { after, projected } = orThrow(await update(asked(), id, { city: 'Oslo' }));
    expect([reads, projected]).to.deep.equal([0, true]);
    if (after._tag !== 'Active') throw new Error('it is not active');
    expect([after.fields.name, after.fields.city]).to.deep.equal(['Acme', 'Oslo']);
    // reads the stream: throws unless the hashes form a chain
    expect((await stored(id)).at(-1)).to.deep.equal({ type: 'BusinessUpdated', data: { changes: { city: 'Oslo' } } });
    const { revision, body } = await rowOf(id);
    expect([revision, partLifecycle(body).record]).to.deep.equal(['1', renderBusiness(id, after)]);
  });

  it('is found to be altered, and the stream is folded instead', async () => {
    const id = await acme();
    for (const alteration of [`body = replace(body, 'Rome', 'Oslo')`, 'place = place + 1']) {
      await engine.database.query(`update read_model.${await engine.tableOf('live')} set ${alteration}`);
      const before = reads;
      const { update, stop } = await aProcess();
      // it is what the stream has: nothing changes
      const { revision } = orThrow(await update(asked(), id, { city: 'Rome' }));
      expect(revision).to.equal(0n);
      expect(reads).to.be.greaterThan(before);
      await stop();
    }
  });

  it('is not trusted by a process with another key', async () => {
    const id = await acme();
    const { update } = await aProcess({ key: 'another key of thirty-two bytes .' });
    orThrow(await update(asked(), id, { city: 'Oslo' }));
    expect(reads).to.equal(1);
  });

  it('leads to a rejection or to nothing only after the stream was read', async () => {
    const id = await acme();
    const { update, removeOwner } = await aProcess();
    const before = reads;
    expect(orThrow(await update(asked(), id, { city: 'Rome' })).revision).to.equal(0n);
    expect(reads).to.equal(before + 1);
    expect(await removeOwner(asked(), id, 'nobody')).to.deep.equal(E.left({ _tag: 'OwnerNotFound' }));
    expect(reads).to.equal(before + 2);
  });

  it('may be behind its stream, which is then read on', async () => {
    const id = await acme();
    const [one, other] = [await aProcess({ projects: false }), await aProcess({ projects: false })];
    orThrow(await one.update(asked(), id, { city: 'Oslo' }));
    const { after } = orThrow(await other.update(asked(), id, { zip: '1' }));
    if (after._tag !== 'Active') throw new Error('it is not active');
    expect([after.fields.city, after.fields.zip]).to.deep.equal(['Oslo', '1']);
    expect(await stored(id)).to.have.length(3);
  });

  it('says whether a command with an idempotency key came before', async () => {
    const id = await acme();
    const keyed = asked({ idempotencyKey: 'once' });
    const first = await aProcess();
    expect(orThrow(await first.update(keyed, id, { city: 'Oslo' })).revision).to.equal(1n);
    expect(reads).to.equal(0);
    orThrow(await first.update(asked(), id, { city: 'Bonn' }));
    await first.stop();
    const second = await aProcess();
    // the cached fold that began with the row does not know the key either
    orThrow(await second.update(asked(), id, { city: 'Kiel' }));
    const { revision } = orThrow(await second.update({ ...keyed, correlationId: 'again' }, id, { city: 'Oslo' }));
    expect(revision).to.equal(1n);
    expect(await stored(id)).to.have.length(4);
  });

  it('is the same whether commands hand over what they have decided, or their events are folded', async () => {
    const ids: Array<string> = [];
    for (const handsOver of [true, false]) {
      const { create, update, addOwner, delete: remove, stop } = await aProcess({ handsOver });
      const { businessId: id } = orThrow(await create(asked(), { name: 'Acme' }));
      const { businessId: gone } = orThrow(await create(asked(), { name: 'Gone' }));
      ids.push(id, gone);
      await Promise.all([
        update(asked(), id, { city: 'Oslo' }),
        update(asked({ idempotencyKey: randomUUID() }), id, { zip: '1' }),
        addOwner(asked(), id, { user: 'bob', title: null, equity: 0.5 }),
        remove(asked(), gone),
      ]);
      await stop();
    }
    const verified = await engine.operations();
    const all = { sample: undefined, onChecked: () => undefined, signal: new AbortController().signal };
    for (const { verify } of verified.readModels)
      expect(orThrow(await verify({ ...all, onDrift: () => Promise.resolve() }))).to.deep.include({ drifted: 0 });
    const rows = await Promise.all(ids.map(rowOf));
    expect(rows.map(({ revision }) => revision)).to.deep.equal(['3', '1', '3', '1']);
    expect(rows.every(({ snapshot }) => snapshot !== null)).to.equal(true);
    expect(rows.map(({ snapshot }) => snapshot?.split(' ')[2])).to.deep.equal(['k', '-', 'k', '-']);
  });

  it('is not signed when the row before it was altered and the command ran elsewhere', async () => {
    const id = await acme();
    await engine.database.query(
      `update read_model.${await engine.tableOf('live')} set body = replace(body, 'Rome', 'Oslo')`,
    );
    const projector = await aProcess({ handsOver: false });
    const { update } = await aProcess({ projects: false });
    orThrow(await update(asked(), id, { zip: '1' }));
    await engine.until(
      async () => (await rowOf(id)).revision,
      (revision) => revision === '1',
    );
    expect((await rowOf(id)).snapshot).to.equal(null);
    await projector.stop();
  });
});
