import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { expect } from 'chai';
import pg from 'pg';
import { append, created } from '../../projections/appending.js';
import { needs } from '../../support/needs.js';
import { runOperator } from '../../support/operator.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { projectLog } from '../../support/projected-log.js';

describe('the report of a rebuild', function () {
  this.timeout(startingPostgres);
  let env: Record<string, string>;

  beforeEach(async () => {
    const connectionString = await freshDatabase();
    env = { DATABASE_URL: connectionString };
    await projectLog(connectionString, (store) => append(store, `business-${randomUUID()}`, 0n, created('Acme')));
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query(`update read_model.businesses set body = replace(body, 'Acme', 'Vandal')`);
    await client.end();
  });

  const reporting = async (file: string): Promise<readonly [number | NodeJS.Signals, string]> => {
    const { code, stderr } = await runOperator(['projections', 'rebuild', 'businesses', '--report', file], { env });
    return [code, stderr];
  };

  it('that cannot be created is named as the failure, and not the database', async () => {
    const [code, output] = await reporting('/nowhere/differences.ndjson');
    expect(code).to.equal(1);
    expect(output).to.match(/^the report \/nowhere\/differences.ndjson cannot be written: ENOENT/);
  });

  it('that finds no room is what has failed, and not the database', async function () {
    needs(this, existsSync('/dev/full'), '/dev/full');
    const [code, output] = await reporting('/dev/full');
    expect(code).to.equal(1);
    expect(output)
      .to.match(/the report \/dev\/full cannot be written: ENOSPC/)
      .and.not.contain('database');
  });
});
