import { expect } from 'chai';
import pg from 'pg';
import { businesses } from '../../projections/businesses.js';
import { makeDriftRounds } from '../../projections/engine/verify/drift-rounds.js';
import { ledgerOf, projectionsOf, registry } from '../../src/entities/registry.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { storageIn } from '../support/read-model-storage.js';

describe('a round of comparisons', function () {
  this.timeout(startingPostgres);

  const ROWS = 20_000;
  let database: pg.Pool;
  before(async () => {
    database = new pg.Pool({ connectionString: await freshDatabase(), max: 1 });
    // the ids of records that were made one after the other
    await database.query(`create schema read_model;
      create table read_model.many (id uuid primary key);
      create table read_model.none (id uuid primary key);
      insert into read_model.many
        select ('0198f000-' || lpad(to_hex(n), 4, '0') || '-7000-8000-000000000000')::uuid from generate_series(0, ${ROWS - 1}) n`);
  });
  after(() => database.end());

  const rowsOf = (name: string) => storageIn(database).storedRows(businesses, { name });

  const roundsFrom = (fraction: number) =>
    makeDriftRounds(
      { ...systemRuntime.random, fraction: () => fraction },
      projectionsOf(registry),
      ledgerOf(registry).name,
    );

  const placeOf = (id: string | undefined): number => parseInt((id ?? '').slice(9, 13), 16) / ROWS;

  for (const share of [0, 0.3, 0.9])
    it(`begins behind ${share * 100} % of the rows when chance says so, and goes on from there`, async () => {
      const rounds = roundsFrom(share);
      const rows = rowsOf('many');
      const first = await rounds.next(rows, 10);
      expect(first).to.have.length(10);
      expect(placeOf(first[0])).to.be.closeTo(share, 0.02);
      expect(placeOf((await rounds.next(rows, 1))[0])).to.equal(placeOf(first[9]) + 1 / ROWS);
    });

  it('begins where there are no rows', async () => {
    expect(await roundsFrom(0.5).next(rowsOf('none'), 10)).to.deep.equal([]);
  });
});
