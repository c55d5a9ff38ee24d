import { expect } from 'chai';
import pg from 'pg';
import { bigintArray, booleanArray, textArray, uuidArray } from '../../src/postgres/binary-array.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';

describe('arrays in the form that the server reads', function () {
  this.timeout(startingPostgres);

  it('arrive as they were, of every type, with nulls and without elements', async () => {
    const client = new pg.Client({ connectionString: await freshDatabase() });
    await client.connect();
    const texts = ['', 'a', null, 'é😀 "\\{},null', 'x'.repeat(70_000), null];
    const numbers = [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n)];
    const booleans = [true, false, true];
    const ids = ['00000000-0000-0000-0000-000000000000', '018f2f6e-7c3a-7000-8abc-0123456789ab'];
    const { rows } = await client.query(
      `select $1::text[] as texts, $2::bigint[]::text[] as numbers, $3::boolean[] as booleans,
         $4::uuid[]::text[] as ids, $5::text[] as nothing`,
      [textArray(texts), bigintArray(numbers), booleanArray(booleans), uuidArray(ids), textArray([])],
    );
    await client.end();
    expect(rows).to.deep.equal([{ texts, numbers: numbers.map(String), booleans, ids, nothing: [] }]);
  });
});
