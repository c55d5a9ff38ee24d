import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import pg from 'pg';
import { businesses } from '../../../projections/businesses.js';
import { documents } from '../../../projections/documents.js';
import { createLedgerTable } from '../../../projections/engine/postgres/schema/ledger-table.js';
import { startProjections } from '../../../projections/engine/run/start-projections.js';
import type { Projection } from '../../../projections/projection.js';
import { ledgerOf, projectionsOf, registry } from '../../../src/entities/registry.js';
import { makeReadModelQueries } from '../../../src/infrastructure/postgres/read-models/make-read-model-queries.js';
import type { FilterValues, Order, RecordFilter } from '../../../src/read/queries.js';
import { eventually } from '../../support/eventually.js';
import type { EngineEvent } from '../../../projections/engine/engine-event.js';
import { makeHeard } from '../../support/news.js';
import { untilConnections } from '../../support/server-activity.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { recordsOf } from '../../support/records-of.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { IN_CREATION_ORDER } from '../../../src/read/queries.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { ownStorage } from '../../support/read-model-storage.js';

type Filter = FilterValues & RecordFilter;

const ROWS = 20_000;
const LIMIT = 100;

const MIDDLE = 'name 5';

/** A page gives a hundred records, and may look at some more; reading all that match a frequent value is far above. */
const MOST_READ = 1_500;

/** Where the walk gives up: it has met 25 entries for each record of the page, twice. */
const MOST_READ_IN_VAIN = 5_500;

describe('a page of a long list in Postgres', function () {
  this.timeout(startingPostgres);

  let connectionString: string;
  let client: pg.Client;
  /** Of the business whose name is in the middle. */
  let middle: string;

  const fill = async (name: string, columns: string, values: string): Promise<void> => {
    const { rows } = await client.query<{ table_name: string }>(
      'select table_name from read_model.instance where projection = $1',
      [name],
    );
    const table = `read_model.${rows[0]!.table_name}`;
    await client.query(`insert into ${table} (id, place, revision, parked, body, ${columns})
      select gen_random_uuid(), n, 0, false, '{"_id":"' || n || '"}', ${values} from generate_series(1, ${ROWS}) n`);
    await client.query(`alter table ${table} set (autovacuum_enabled = false)`);
    await client.query(`vacuum analyze ${table}`);
  };

  before(async () => {
    connectionString = await freshDatabase();
    const events = makeHeard<EngineEvent>();
    const projections = startProjections({
      runtime: systemRuntime,
      store: makeInMemoryEventStore(),
      projections: projectionsOf(registry),
      storage: ownStorage(connectionString),
      projector: true,
      isSoleProcess: true,
      rollbackWindowMs: 60_000,
      onEvent: events.hear,
    });
    await events.until((all) => {
      const projecting = all.filter(({ _tag }) => _tag === 'Projecting').map(({ projection }) => projection);
      return projections.all.every(({ name }) => projecting.includes(name));
    });
    await projections.stop();
    client = new pg.Client({ connectionString });
    await client.connect();
    const type = `case when n % 1000 = 9 then 'rare' else 'frequent' end`;
    const times = `'time ' || lpad(n::text, 5, '0'), 'time ' || lpad(n::text, 5, '0')`;
    const words = `array_to_tsvector(array['all', n::text])`;
    const businessValues = `'name ' || n, ${type}, ${times}, ${words}`;
    await fill('businesses', 'name, business_type, created_at, updated_at, words', businessValues);
    const documentKeys = 'type, entity_type, uploaded_by, tags';
    const tags = `array['all', 'half ' || n % 2, 'tag ' || n % 2000]`;
    await fill('documents', documentKeys, `${type}, 'half ' || n % 2, 'user ' || n % 2, ${tags}`);
    const named = `select id from read_model.businesses where name = '${MIDDLE}'`;
    middle = (await client.query<{ id: string }>(named)).rows[0]!.id;
    // what was read until here is counted now, and not some time later, in the cost of a page
    await client.query('select pg_stat_force_next_flush()');
  });

  after(() => client.end());

  const readSoFar = async (): Promise<number> => {
    const { rows } = await client.query<{ read: number }>(`
      select (select sum(idx_tup_read) from pg_stat_user_indexes where schemaname = 'read_model')::integer +
        (select sum(seq_tup_read) from pg_stat_user_tables where schemaname = 'read_model')::integer as read`);
    return rows[0]!.read;
  };

  /** A page that a busy machine has kept too long is given up, and asked for anew. */
  const inTime = <A>(ask: () => Promise<A>, isGiven: (answer: A) => boolean): Promise<A> =>
    // polls: each answer has taken its time, and only the next one tells more
    eventually(ask, isGiven);

  const byName: Order = { by: 'name', isDescending: false };
  const byNameDown: Order = { by: 'name', isDescending: true };

  /** Filter, what is found, and what is not usual: how much is read, and the order. */
  type Case = readonly [
    Projection,
    Filter,
    found: number,
    unusual?: { mostRead?: number; order?: Order; key?: string },
  ];
  const cases: ReadonlyArray<Case> = [
    [businesses, {}, LIMIT],
    [businesses, { businessType: 'frequent' }, LIMIT],
    [businesses, { businessType: 'rare' }, 20],
    [businesses, { name: 'name 7' }, 1],
    [businesses, { name: 'name 7', businessType: 'frequent' }, 1],
    [businesses, { name: 'none', businessType: 'frequent' }, 0],
    [businesses, {}, LIMIT, { order: byName }],
    [businesses, {}, LIMIT, { order: byNameDown }],
    [businesses, {}, LIMIT, { order: byName, key: MIDDLE }],
    [businesses, {}, LIMIT, { order: byNameDown, key: MIDDLE }],
    [businesses, { businessType: 'frequent' }, LIMIT, { order: byNameDown, key: MIDDLE }],
    [businesses, { businessType: 'rare' }, 20, { order: byName, mostRead: MOST_READ_IN_VAIN }],
    [businesses, { q: 'all' }, LIMIT],
    [businesses, { q: 'al' }, LIMIT, { order: byName, key: MIDDLE }],
    [businesses, { q: 'al 77' }, LIMIT, { mostRead: MOST_READ_IN_VAIN }],
    [businesses, { q: '777 a' }, 11, { order: byName, mostRead: MOST_READ_IN_VAIN }],
    [businesses, { createdSince: 'time 19990' }, 11, { mostRead: MOST_READ_IN_VAIN }],
    [documents, { type: 'rare', uploadedBy: 'user 1' }, 20, { mostRead: MOST_READ_IN_VAIN }],
    [documents, { type: 'frequent', uploadedBy: 'user 1' }, LIMIT],
    [documents, { entityType: 'half 0', uploadedBy: 'user 1' }, 0, { mostRead: MOST_READ_IN_VAIN }],
    [documents, { tag: 'half 0', uploadedBy: 'user 1' }, 0, { mostRead: MOST_READ_IN_VAIN }],
    [documents, { tag: 'half 0', entityType: 'half 1', type: 'frequent' }, 0, { mostRead: MOST_READ_IN_VAIN }],
    [documents, { tag: 'all' }, LIMIT],
    [documents, { tag: 'tag 7' }, 10, { mostRead: MOST_READ_IN_VAIN }],
    [documents, { tag: 'all', type: 'rare' }, 20],
    [documents, { tag: 'tag 7', type: 'frequent' }, 10, { mostRead: MOST_READ_IN_VAIN }],
  ];
  for (const [projection, filter, found, { mostRead = MOST_READ, order = IN_CREATION_ORDER, key } = {}] of cases)
    it(`of ${projection.name} by ${JSON.stringify([filter, order, key])} reads not many more than it shows`, async () => {
      const after = key === undefined ? {} : { after: { id: middle, key } };
      const readOne = async () => {
        const before = await readSoFar();
        const queries = makeReadModelQueries(systemRuntime.clock, { connectionString });
        const page = await queries.of(projection).page(filter, { order, limit: LIMIT, ...after });
        // a connection reports what it has read when it ends
        await queries.close();
        await untilConnections(client, `application_name like 'read-model%'`, 0);
        return { page, read: (await readSoFar()) - before };
      };
      const { page, read } = await inTime(readOne, (one) => E.isRight(one.page));
      expect(E.isRight(page) && recordsOf(page.right).length).to.equal(found);
      expect(read).to.be.within(found, mostRead);
    });

  it('takes no connection of the searches where its walk is short, so that it does not wait for those of others', async () => {
    const queries = makeReadModelQueries(systemRuntime.clock, { connectionString });
    const filter = { businessType: 'frequent', q: 'all' };
    const page = await queries.of(businesses).page(filter, { order: IN_CREATION_ORDER, limit: LIMIT });
    expect(E.isRight(page) && recordsOf(page.right).length).to.equal(LIMIT);
    const text = `select distinct application_name as name from pg_stat_activity
      where datname = current_database() and application_name like 'read-model%'`;
    const { rows } = await client.query<{ name: string }>(text);
    expect(rows).to.deep.equal([{ name: 'read-model' }]);
    await queries.close();
  });

  /** The table that holds the rows of a projection now. */
  const tableOf = async ({ name }: Projection): Promise<string> => {
    const { rows } = await client.query<{ table_name: string }>(
      'select table_name from read_model.instance where projection = $1',
      [name],
    );
    return `read_model.${rows[0]!.table_name}`;
  };

  /** Holds up every statement over the rows of a projection meanwhile. */
  const whileLocked = async <A>(projection: Projection, work: () => Promise<A>): Promise<A> => {
    const locking = new pg.Client({ connectionString });
    await locking.connect();
    try {
      await locking.query(`begin; lock table ${await tableOf(projection)}`);
      return await work();
    } finally {
      await locking.end();
    }
  };

  const timed = async <A>(work: () => Promise<A>): Promise<readonly [A, ms: number]> => {
    const began = performance.now();
    return [await work(), performance.now() - began];
  };

  /** How many searches are under way, as soon as it is this many. */
  const searching = (count: number): Promise<number> =>
    untilConnections(client, `application_name = 'read-model-searches' and state = 'active'`, count, 1_000);

  const failureTag = (page: E.Either<{ readonly _tag: string }, unknown>): string =>
    E.isLeft(page) ? page.left._tag : 'none';

  const asked = { order: IN_CREATION_ORDER, limit: LIMIT };

  /** No record has both, and many have each: the walk gives up, so that after the first time only a search is tried. */
  const inVain = { tag: 'half 0', uploadedBy: 'user 1' };

  it('is given up within 2 s where its search takes longer, in the server too', async () => {
    const queries = makeReadModelQueries(systemRuntime.clock, { connectionString });
    const { page } = queries.of(documents);
    const search = () => page(inVain, asked);
    // the walk gives up, so the next time only the search is tried
    expect(E.isRight(await inTime(search, E.isRight))).to.equal(true);
    await whileLocked(documents, async () => {
      // the second one waits for the first, which is given up by then
      const pages = await Promise.all([timed(search), timed(search)]);
      for (const [late, ms] of pages) {
        expect(failureTag(late)).to.equal('SearchTooSlow');
        expect(ms).to.be.within(1_700, 3_000);
      }
      expect(await searching(0)).to.equal(0);
    });
    expect(E.isRight(await inTime(search, E.isRight))).to.equal(true);
    await queries.close();
  });

  it('holds up no page without a search, and not the ledger', async () => {
    await client.query(createLedgerTable('read_model.ledger'));
    const queries = makeReadModelQueries(systemRuntime.clock, { connectionString });
    const ofDocuments = queries.of(documents);
    const search = (limit: number) => ofDocuments.page(inVain, { ...asked, limit });
    expect(E.isRight(await inTime(() => search(LIMIT), E.isRight))).to.equal(true);
    await whileLocked(documents, async () => {
      // each of them is another page, and there are more than connections for searches
      const searches = Array.from({ length: 6 }, (_, n) => timed(() => search(n + 1)));
      expect(await searching(4)).to.equal(4);
      const [[page], [ledger]] = await Promise.all([
        timed(() => queries.of(businesses).page({}, { ...asked, limit: 1_000 })),
        timed(() =>
          queries.ofLedger(ledgerOf(registry)).page({ filter: {}, after: undefined, direction: 'forwards', limit: 1 }),
        ),
      ]);
      expect(E.isRight(page) && recordsOf(page.right).length).to.equal(1_000);
      expect(E.isRight(ledger) && ledger.right.isLast).to.equal(true);
      expect(await searching(4), 'searches, which are still under way').to.equal(4);
      for (const [late, ms] of await Promise.all(searches)) {
        expect(failureTag(late)).to.equal('SearchTooSlow');
        expect(ms).to.be.within(1_700, 3_000);
      }
      expect(await searching(0)).to.equal(0);
    });
    await queries.close();
  });

  it('waits for connection and statement together no longer than for a database that pauses', async () => {
    const queries = makeReadModelQueries(systemRuntime.clock, { connectionString });
    const ofBusinesses = queries.of(businesses);
    const page = (limit: number) => ofBusinesses.page({}, { ...asked, limit });
    await whileLocked(businesses, async () => {
      const others = Array.from({ length: 10 }, (_, n) => page(200 + n));
      // pauses: the time of a statement is counted by the server
      await delay(1_200);
      const [late, ms] = await timed(() => page(300));
      expect(failureTag(late)).to.equal('ReadModelUnavailable');
      expect(ms).to.be.within(2_300, 3_300);
      await Promise.all(others);
    });
    await queries.close();
  });

  it('that is streamed is opened however late it is asked for, and waited for no longer than for a database that pauses', async () => {
    const body = `'{"_id":"' || repeat('x', 300000) || '"}'`;
    await client.query(`insert into ${await tableOf(documents)} (id, place, revision, parked, body, type, tags)
      values (gen_random_uuid(), ${ROWS + 1}, 0, false, ${body}, 'large', array['large'])`);
    let passed = 0;
    const later = (): number => systemRuntime.clock.monotonic() + passed;
    const queries = makeReadModelQueries({ ...systemRuntime.clock, monotonic: later }, { connectionString });
    for (const filter of [{ tag: 'large' }, { type: 'large' }]) {
      const page = await inTime(() => queries.of(documents).page(filter, asked), E.isRight);
      if (E.isLeft(page) || Buffer.isBuffer(page.right.records)) throw new Error('the page is not streamed');
      const { open } = page.right.records;
      // as long as it may wait for its part of the limits, and longer than the page itself may take
      passed += 2_500;
      const opened = await open();
      expect(failureTag(opened)).to.equal('none');
      if (E.isRight(opened)) opened.right.destroy();
      await whileLocked(documents, async () => {
        const [late, ms] = await timed(open);
        expect(failureTag(late)).to.equal('ReadModelUnavailable');
        expect(ms).to.be.within(2_300, 3_300);
      });
    }
    await queries.close();
  });
});
