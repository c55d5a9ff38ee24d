import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { append, created } from '../../projections/appending.js';
import { runOperator } from '../../support/operator.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { projectLog } from '../../support/projected-log.js';

const CASES = {
  'a row is missing from the live ones': {
    plant: 'delete from read_model.businesses',
    counts: { live: 0, rebuilt: 1, differing: 0, onlyLive: 0, onlyRebuilt: 1 },
  },
  'a live row has no events': {
    plant: `insert into read_model.businesses (id, place, revision, parked) values (gen_random_uuid(), 9, 0, false)`,
    counts: { live: 2, rebuilt: 1, differing: 0, onlyLive: 1, onlyRebuilt: 0 },
  },
  'a row differs': {
    plant: `update read_model.businesses set name = 'Vandal'`,
    counts: { live: 1, rebuilt: 1, differing: 1, onlyLive: 0, onlyRebuilt: 0 },
  },
};

describe('a rebuild that nobody can be asked about', function () {
  this.timeout(startingPostgres * 3);

  for (const [found, { plant, counts }] of Object.entries(CASES))
    it(`does not switch, and ends with 1, when ${found}`, async () => {
      const connectionString = await freshDatabase();
      await projectLog(connectionString, (store) => append(store, `business-${randomUUID()}`, 0n, created('Acme')));
      const client = new pg.Client({ connectionString });
      await client.connect();
      await client.query(plant);
      const env = { DATABASE_URL: connectionString };
      const { code, stdout } = await runOperator(['projections', 'rebuild', 'businesses', '--json'], { env });
      const { rows } = await client.query<{ role: string }>(
        `select role from read_model.instance where projection = 'businesses' order by created_at`,
      );
      await client.end();
      // reason: the command documents what it prints
      const { outcome, compared } = JSON.parse(stdout) as { outcome: string; compared: { position: string } };
      expect([code, outcome, rows.map(({ role }) => role)]).to.deep.equal([1, 'Kept', ['live', 'building']]);
      expect(compared).to.deep.equal({ position: compared.position, ...counts });
    });

  it('ends with 1 when one of several read models differs, whichever is rebuilt last', async () => {
    const connectionString = await freshDatabase();
    await projectLog(connectionString, (store) => append(store, `business-${randomUUID()}`, 0n, created('Acme')));
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query(`update read_model.businesses set name = 'Vandal'`);
    await client.end();
    const env = { DATABASE_URL: connectionString };
    const { code, stdout } = await runOperator(['projections', 'rebuild', '--dry-run', '--json'], { env });
    const lines = stdout.trimEnd().split('\n');
    // reason: the command documents what it prints
    const parsed = lines.map((line) => JSON.parse(line) as { projection: string; compared: { differing: number } });
    const differing = parsed.map(({ projection, compared }) => [projection, compared.differing]);
    expect([code, differing]).to.deep.equal([
      1,
      [
        ['businesses', 1],
        ['documents', 0],
        ['ledger', 0],
      ],
    ]);
  });
});
