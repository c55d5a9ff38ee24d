import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { append, created } from '../../projections/appending.js';
import { needs } from '../../support/needs.js';
import { startOperatorAtTerminal } from '../../support/operator.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { projectLog } from '../../support/projected-log.js';
import { hasPython } from '../../support/python.js';

const QUESTION = 'switch to the rebuilt rows nevertheless? [y/N] ';

describe('a rebuild with differences at a terminal', function () {
  this.timeout(startingPostgres * 5);
  let env: Record<string, string>;
  let pool: pg.Pool;

  before(function () {
    needs(this, hasPython(), 'python3, for a pseudo terminal');
  });

  beforeEach(async () => {
    const connectionString = await freshDatabase();
    env = { DATABASE_URL: connectionString };
    pool = new pg.Pool({ connectionString, max: 1 });
    await projectLog(connectionString, (store) => append(store, `business-${randomUUID()}`, 0n, created('Acme')));
    await pool.query(`update read_model.businesses set body = replace(body, 'Acme', 'Vandal')`);
  });

  afterEach(() => pool.end());

  const roles = async (): Promise<ReadonlyArray<string>> =>
    (
      await pool.query<{ role: string }>(
        `select role from read_model.instance where projection = 'businesses' order by created_at`,
      )
    ).rows.map(({ role }) => role);

  /** Types `keys` once it is asked, and gives the exit code. */
  const answering = async (keys: string): Promise<number | NodeJS.Signals> => {
    const { child, stderr, done } = await startOperatorAtTerminal(['projections', 'rebuild', 'businesses'], env);
    await stderr.until((shown) => shown.includes(QUESTION));
    child.stdin?.write(keys);
    return (await done).code;
  };

  it('switches when the answer is yes', async () => {
    expect([await answering('y\r'), await roles()]).to.deep.equal([0, ['previous', 'live']]);
  });

  it('keeps the live rows when the answer is no, or anything else, or the end of the input', async () => {
    const codes = [await answering('n\r'), await answering('\r'), await answering('yo\r'), await answering('\u0004')];
    expect([codes, await roles()]).to.deep.equal([
      [1, 1, 1, 1],
      ['live', 'building'],
    ]);
  });

  it('ends with 130 when it is interrupted, and leaves the question to the next rebuild', async () => {
    expect([await answering('\u0003'), await roles()]).to.deep.equal([130, ['live', 'building']]);
    expect([await answering('yes\r'), await roles()]).to.deep.equal([0, ['previous', 'live']]);
  });
});
