import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { either as E, option as O } from 'fp-ts';
import { businesses } from '../../projections/businesses.js';
import type { Projections } from '../../projections/engine/run/start-projections.js';
import { businessUseCases } from '../../src/application/business/use-cases.js';
import { business } from '../../src/entities/business.js';
import { connect } from '../../src/entities/define-entity.js';
import { type EventStore, StoreUnavailable } from '../../src/event-sourcing/event-store.js';
import { makeReadModelQueries } from '../../src/infrastructure/postgres/read-models/make-read-model-queries.js';
import type { AsOf } from '../../src/read/history.js';
import { draw } from '../support/draw.js';
import { type Engine, makeEngine, orThrow } from '../support/engine.js';
import { memoryPorts, portsOf } from '../support/memory-ports.js';
import { startingPostgres } from '../support/postgres.js';
import { type Operation, staleReads } from '../support/read-history.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const now: AsOf = { _tag: 'Now' };

/** `Deaf`: requests are served, and no head of the log comes, as in a process that was frozen until this moment. */
type Way = 'Open' | 'Cut' | 'Deaf';

/** A way to the log that can be cut, and kept from giving heads. */
const makeWay = (store: EventStore) => {
  let way: Way = 'Open';
  let open = (): void => undefined;
  let opened = Promise.resolve();
  const unreachable = new StoreUnavailable('cut');
  const cut = E.left(unreachable);
  return {
    set: (next: Way): void => {
      open();
      way = next;
      opened = new Promise((resolve) => (open = resolve));
      if (next !== 'Deaf') open();
    },
    store: {
      ...store,
      head: async (categories) => {
        await opened;
        return way === 'Cut' ? cut : store.head(categories);
      },
      append: (...asked) => (way === 'Cut' ? Promise.resolve(cut) : store.append(...asked)),
      readStream: async function* (stream, range) {
        if (way === 'Cut') throw unreachable;
        yield* store.readStream(stream, range);
      },
    } satisfies EventStore,
  };
};

describe('reads by id in several processes', function () {
  this.timeout(startingPostgres + 180_000);
  let engine: Engine;
  let closing: Array<() => Promise<unknown>>;

  beforeEach(async () => {
    engine = await makeEngine();
    closing = [engine.close];
  });

  afterEach(async () => {
    for (const close of closing.toReversed()) await close();
  });

  /** A process that serves and does not project. */
  const anApi = async (name: string) => {
    const { ports, close } = await memoryPorts();
    const queries = makeReadModelQueries(systemRuntime.clock, { connectionString: engine.connectionString });
    closing.push(close, queries.close);
    const way = makeWay(engine.store);
    const projections = engine.serve({ store: way.store, projector: false });
    // closed before all else: who waits for a log that says nothing does not stop
    closing.push(() => {
      way.set('Open');
      return Promise.resolve();
    });
    const { progress, freshness } = projections.byName('businesses');
    const { execute, reads } = connect(business, {
      ...portsOf(ports, business),
      store: way.store,
      queries: queries.of(businesses),
      progress,
      freshness,
    });
    return { name, setWay: way.set, ...businessUseCases(systemRuntime.random, execute), reads, freshness };
  };

  type Api = Awaited<ReturnType<typeof anApi>>;

  const asked = () => ({ actor: 'alice', correlationId: randomUUID(), operation: 'PUT /api/v1/business' });

  /** Changes and reads one after the other, at processes that are drawn; gives what was acknowledged and shown. */
  const makeClient = (apis: ReadonlyArray<Api>, ids: ReadonlyArray<string>, operations: Array<Operation>) => {
    const read = async (api: Api, id: string, note: string): Promise<boolean> => {
      const began = performance.now();
      const view = await api.reads.get(id, now, () => Promise.resolve(true));
      if (E.isLeft(view)) return false;
      const revision = O.isNone(view.right) ? -1n : view.right.value.revision;
      operations.push({ kind: 'read', id, revision, began, ended: performance.now(), note: `${api.name} (${note})` });
      return true;
    };
    const change = async (api: Api, id: string, note: string): Promise<void> => {
      const began = performance.now();
      const changed = await api.update(asked(), id, { city: randomUUID() });
      if (E.isLeft(changed) || changed.right.revision === 'no-stream') return;
      const { revision } = changed.right;
      operations.push({ kind: 'change', id, revision, began, ended: performance.now(), note: `${api.name} (${note})` });
    };
    return {
      read,
      run: async (rounds: number, note: string): Promise<void> => {
        for (let round = 0; round < rounds; round += 1) {
          const id = draw(fc.constantFrom(...ids));
          await change(draw(fc.constantFrom(...apis)), id, note);
          for (const api of apis) await read(api, id, note);
        }
      },
    };
  };

  it('show every change that was acknowledged before they began, whatever the processes can reach', async () => {
    let projecting: Projections | undefined = engine.serve();
    const apis = [await anApi('first'), await anApi('second')];
    const [one, other] = apis as [Api, Api];
    const ids: Array<string> = [];
    for (let count = 0; count < 3; count += 1)
      ids.push(orThrow(await one.create(asked(), { name: 'Acme', city: 'Rome' })).businessId);
    const operations: Array<Operation> = [];
    const client = makeClient(apis, ids, operations);

    const ways = fc.shuffledSubarray<readonly [Way, Way, boolean]>(
      [
        ['Open', 'Open', true],
        ['Open', 'Cut', true],
        ['Cut', 'Open', false],
        ['Open', 'Deaf', false],
        ['Deaf', 'Open', true],
        ['Open', 'Open', false],
      ],
      { minLength: 6 },
    );
    for (const [first, second, isProjecting] of draw(ways)) {
      one.setWay(first);
      other.setWay(second);
      if (isProjecting) projecting ??= engine.serve();
      else {
        await projecting?.stop();
        projecting = undefined;
      }
      const note = `${first}, ${second}, ${isProjecting ? 'projecting' : 'not projecting'}`;
      await Promise.all(Array.from({ length: 4 }, () => client.run(2, note)));
    }
    expect(staleReads(operations)).to.deep.equal([]);
    expect(operations.filter(({ kind }) => kind === 'change').length).to.be.greaterThan(10);
  });

  it('are answered without the log where the rows lack nothing, and refused where they lack something', async () => {
    const projecting = engine.serve();
    const [one, other] = [await anApi('first'), await anApi('second')];
    const id = orThrow(await one.create(asked(), { name: 'Acme', city: 'Rome' })).businessId;
    const operations: Array<Operation> = [];
    const { read } = makeClient([one, other], [id], operations);
    // before it has seen the log once, it does not know whose the rows are
    await engine.until(() => other.freshness.rows() === 'Fresh');
    other.setWay('Cut');
    await engine.until(() => other.freshness.rows() === 'Unsure');
    expect(await read(other, id, 'shown')).to.equal(true);
    await projecting.stop();
    const { projected } = orThrow(await one.update(asked(), id, { city: 'Oslo' }));
    expect(projected).to.equal(false);
    expect(await read(other, id, 'lacking')).to.equal(false);
    // also a record that the rows know nothing of
    const created = orThrow(await one.create(asked(), { name: 'Bolt' }));
    expect(await read(other, created.businessId, 'lacking')).to.equal(false);
    other.setWay('Deaf');
    expect(await read(other, id, 'lacking')).to.equal(true);
    expect(operations.map(({ revision }) => revision)).to.deep.equal([0n, 1n]);
    other.setWay('Cut');
    engine.serve();
    await engine.until(() => read(other, id, 'shown again'));
  });

  it('are noted also in a database whose tables are those of an earlier program', async () => {
    const projecting = engine.serve();
    const one = await anApi('first');
    const id = orThrow(await one.create(asked(), { name: 'Acme', city: 'Rome' })).businessId;
    await projecting.stop();
    await engine.database.query('drop table read_model.acknowledged');
    await engine.database.query('alter table read_model.instance drop column is_evidence');
    await engine.database.query('update read_model.schema_version set version = 3');
    expect(orThrow(await one.update(asked(), id, { city: 'Oslo' })).projected).to.equal(false);
    const { rows } = await engine.database.query('select projection from read_model.acknowledged');
    expect(rows).to.deep.equal([{ projection: 'businesses' }]);
  });
});

describe('the checker of reads', () => {
  const at = (kind: Operation['kind'], revision: bigint, began: number, ended: number): Operation => ({
    kind,
    id: 'a',
    revision,
    began,
    ended,
    note: kind,
  });

  it('finds a read that shows less than was acknowledged before it began, and no other', () => {
    const changed = at('change', 2n, 0, 10);
    expect(staleReads([changed, at('read', 1n, 11, 12)])).to.have.length(1);
    expect(staleReads([changed, at('read', 1n, 9, 12), at('read', 2n, 11, 12), at('read', 3n, 11, 12)])).to.have.length(
      0,
    );
    expect(staleReads([changed, { ...at('read', 1n, 11, 12), id: 'b' }])).to.have.length(0);
  });
});
