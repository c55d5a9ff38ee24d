import { expect } from 'chai';
import { either as E } from 'fp-ts';
import pg from 'pg';
import { businesses } from '../../../projections/businesses.js';
import { documents } from '../../../projections/documents.js';
import { startProjections } from '../../../projections/engine/run/start-projections.js';
import type { Projection } from '../../../projections/projection.js';
import { projectionsOf, registry } from '../../../src/entities/registry.js';
import { makeReadModelQueries } from '../../../src/infrastructure/postgres/read-models/make-read-model-queries.js';
import type { FilterValues } from '../../../src/read/queries.js';
import { eventually } from '../../support/eventually.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { recordsOf } from '../../support/records-of.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';

const ROWS = 20_000;
const LIMIT = 100;

/** A page gives a hundred records, and may look at some more; reading all that match a frequent value is far above. */
const MOST_READ = 1_500;

/** Where the walk gives up: it has met 25 entries for each record of the page, twice. */
const MOST_READ_IN_VAIN = 5_500;

describe('a page of a long list in Postgres', function () {
  this.timeout(startingPostgres);

  let connectionString: string;
  let client: pg.Client;

  const fill = async (name: string, columns: string, values: string): Promise<void> => {
    const { rows } = await client.query<{ table_name: string }>(
      'select table_name from read_model.instance where projection = $1',
      [name],
    );
    const table = `read_model.${rows[0]!.table_name}`;
    await client.query(`insert into ${table} (id, place, revision, parked, body, ${columns})
      select gen_random_uuid(), n, 0, false, '{"_id":"' || n || '"}', ${values} from generate_series(1, ${ROWS}) n`);
    await client.query(`vacuum analyze ${table}`);
  };

  before(async () => {
    connectionString = await freshDatabase();
    const projections = startProjections({
      store: makeInMemoryEventStore(),
      projections: projectionsOf(registry),
      connectionString,
      projector: true,
      isSoleProcess: true,
      rollbackWindowMs: 60_000,
      onEvent: () => undefined,
    });
    const isProjecting = (): boolean => projections.all.every(({ status }) => status().projector._tag === 'Projecting');
    await eventually(
      () => Promise.resolve(isProjecting()),
      (is) => is,
    );
    await projections.stop();
    client = new pg.Client({ connectionString });
    await client.connect();
    const type = `case when n % 1000 = 9 then 'rare' else 'frequent' end`;
    await fill('businesses', 'name, business_type', `'name ' || n, ${type}`);
    const documentKeys = 'type, entity_type, uploaded_by, tags';
    const tags = `array['all', 'half ' || n % 2, 'tag ' || n % 2000]`;
    await fill('documents', documentKeys, `${type}, 'half ' || n % 2, 'user ' || n % 2, ${tags}`);
  });

  after(() => client.end());

  const readSoFar = async (): Promise<number> => {
    const { rows } = await client.query<{ read: number }>(`
      select (select sum(idx_tup_read) from pg_stat_user_indexes where schemaname = 'read_model')::integer +
        (select sum(seq_tup_read) from pg_stat_user_tables where schemaname = 'read_model')::integer as read`);
    return rows[0]!.read;
  };

  const connections = async (): Promise<number> => {
    const text = `select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and application_name like 'read-model%'`;
    return (await client.query<{ count: number }>(text)).rows[0]!.count;
  };

  const cases: ReadonlyArray<readonly [Projection, FilterValues, found: number, mostRead?: number]> = [
    [businesses, {}, LIMIT],
    [businesses, { businessType: 'frequent' }, LIMIT],
    [businesses, { businessType: 'rare' }, 20],
    [businesses, { name: 'name 7' }, 1],
    [businesses, { name: 'name 7', businessType: 'frequent' }, 1],
    [businesses, { name: 'none', businessType: 'frequent' }, 0],
    [documents, { type: 'rare', uploadedBy: 'user 1' }, 20, MOST_READ_IN_VAIN],
    [documents, { type: 'frequent', uploadedBy: 'user 1' }, LIMIT],
    [documents, { entityType: 'half 0', uploadedBy: 'user 1' }, 0, MOST_READ_IN_VAIN],
    [documents, { tag: 'half 0', uploadedBy: 'user 1' }, 0, MOST_READ_IN_VAIN],
    [documents, { tag: 'half 0', entityType: 'half 1', type: 'frequent' }, 0, MOST_READ_IN_VAIN],
    [documents, { tag: 'all' }, LIMIT],
    [documents, { tag: 'tag 7' }, 10],
    [documents, { tag: 'all', type: 'rare' }, 20],
    [documents, { tag: 'tag 7', type: 'frequent' }, 10, MOST_READ_IN_VAIN],
  ];
  for (const [projection, filter, found, mostRead = MOST_READ] of cases)
    it(`of ${projection.name} by ${JSON.stringify(filter)} reads not many more entries than it shows`, async () => {
      const before = await readSoFar();
      const queries = makeReadModelQueries({ connectionString });
      const page = await queries.of(projection).page(filter, { limit: LIMIT });
      // a connection reports what it has read when it ends
      await queries.close();
      expect(E.isRight(page) && recordsOf(page.right).length).to.equal(found);
      await eventually(connections, (count) => count === 0);
      const read = (await readSoFar()) - before;
      expect(read).to.be.within(found, mostRead);
    });
});
