import { expect } from 'chai';
import pg from 'pg';
import { makePool } from '../../src/postgres/pool.js';
import { readRows, run, type Statement, withConnection } from '../../src/postgres/statement.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';

const TEXTS = `select n::text, case when n % 3 <> 0 then repeat($2, n % 700) end, 'x' || chr(233)
  from generate_series(1, $1::integer) n`;

const texts = (count: number, letter: string): Statement => ({
  name: 'texts',
  text: TEXTS,
  values: [String(count), letter],
});

const expected = (count: number, letter: string): Array<ReadonlyArray<string | null>> =>
  Array.from({ length: count }, (_, index) => {
    const n = index + 1;
    return [String(n), n % 3 === 0 ? null : letter.repeat(n % 700), 'xé'];
  });

const ways: ReadonlyArray<{
  readonly read: (client: pg.ClientBase, statement: Statement, timeoutMs?: number) => Promise<unknown>;
  readonly how: string;
}> = [
  { read: run, how: 'texts' },
  { read: readRows, how: 'bytes' },
];

describe('a statement', function () {
  this.timeout(startingPostgres);

  let client: pg.Client;
  let connectionString: string;

  beforeEach(async () => {
    connectionString = await freshDatabase();
    client = new pg.Client({ connectionString });
    client.on('error', () => undefined);
    await client.connect();
  });

  afterEach(() => client.end());

  const decoded = async (statement: Statement): Promise<ReadonlyArray<ReadonlyArray<string | null>>> => {
    const rows = await readRows(client, statement);
    return Array.from({ length: rows.count }, (_, row) =>
      [0, 1, 2].map((column) => (rows.isNull(row, column) ? null : rows.text(row, column))),
    );
  };

  // 3,000 rows come in many chunks, which end anywhere within a row
  for (const count of [0, 1, 7, 3_000])
    it(`gives ${count} rows as texts and as bytes, the first time and again`, async () => {
      for (const letter of ['a', 'ü']) {
        expect(await run(client, texts(count, letter))).to.deep.equal(expected(count, letter));
        expect(await decoded(texts(count, letter))).to.deep.equal(expected(count, letter));
      }
    });

  it('takes a Buffer as a binary value, and null', async () => {
    const four = Buffer.from([0, 0, 0, 4]);
    const statement = { name: 'sum', text: 'select ($1::integer + 1)::text, $2::text', values: [four, null] };
    expect(await run(client, statement)).to.deep.equal([['5', null]]);
  });

  for (const { read, how } of ways)
    it(`rejects with the server's error, also after rows, and works on (${how})`, async () => {
      const failing = { name: 'ratio', text: 'select (6 / (3 - n))::text from generate_series(1, $1::integer) n' };
      for (let time = 0; time < 2; time += 1) {
        const outcome = await read(client, { ...failing, values: ['5'] }).catch((error: unknown) => error);
        expect(outcome).to.be.instanceOf(pg.DatabaseError).with.property('code', '22012');
      }
      const invalid = { name: 'invalid', text: 'select from nowhere', values: [] };
      for (let time = 0; time < 2; time += 1) {
        const outcome = await read(client, invalid).catch((error: unknown) => error);
        expect(outcome).to.be.instanceOf(pg.DatabaseError).with.property('code', '42P01');
      }
      expect(await run(client, texts(2, 'a'))).to.deep.equal(expected(2, 'a'));
      expect(await decoded(texts(2, 'a'))).to.deep.equal(expected(2, 'a'));
    });

  it('passes on what the server says in between', async () => {
    const notices: Array<string | undefined> = [];
    client.on('notice', ({ message }) => notices.push(message));
    await client.query(`create function speak() returns text language plpgsql as
      $$ begin raise notice 'hear'; return 'spoken'; end $$`);
    const rows = await readRows(client, { name: 'speak', text: 'select speak()', values: [] });
    expect([notices, rows.ascii(0, 0)]).to.deep.equal([['hear'], 'spoken']);
  });

  for (const { read, how } of ways) {
    const sleeping = { name: 'sleep', text: 'select pg_sleep(20)::text', values: [] };

    it(`is given up after its time limit, and its connection leaves the pool (${how})`, async () => {
      const pool = makePool({ connectionString, name: 'test', connections: 1, connectMs: 30_000 });
      const slow = await withConnection(pool, (own) => read(own, sleeping, 100)).catch((error: unknown) => error);
      expect(slow).to.be.instanceOf(Error).with.property('message', 'Query read timeout');
      const next = await withConnection(pool, (own) => run(own, texts(1, 'a')));
      expect(next).to.deep.equal(expected(1, 'a'));
      await pool.end();
    });

    it(`rejects when its connection is lost (${how})`, async () => {
      const pool = makePool({ connectionString, name: 'doomed', connections: 1, connectMs: 30_000 });
      const lost = withConnection(pool, (own) => read(own, sleeping)).catch((error: unknown) => error);
      const kill = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'doomed'
        and query like '%pg_sleep%'`;
      while ((await client.query(kill)).rowCount === 0);
      expect(await lost).to.be.instanceOf(Error);
      expect(await withConnection(pool, (own) => run(own, texts(1, 'a')))).to.deep.equal(expected(1, 'a'));
      await pool.end();
    });
  }
});
