import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { makePool } from '../../src/postgres/pool.js';
import { inTransaction } from '../../src/postgres/transaction.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';

describe('a transaction', function () {
  this.timeout(startingPostgres);

  it('leaves nothing behind when its work comes to a failure, and everything when it comes to a value', async () => {
    const connectionString = await freshDatabase();
    const pool = makePool({ connectionString, name: 'test', connections: 1, connectMs: 30_000 });
    await pool.query('create table public.kept (outcome text)');
    for (const outcome of [E.left('failure'), E.right('value')]) {
      const work = inTransaction(pool, async (client) => {
        await client.query('insert into public.kept values ($1)', [outcome._tag]);
        return outcome;
      });
      expect(await work).to.equal(outcome);
    }
    expect((await pool.query('select outcome from public.kept')).rows).to.deep.equal([{ outcome: 'Right' }]);
    await pool.end();
  });
});
