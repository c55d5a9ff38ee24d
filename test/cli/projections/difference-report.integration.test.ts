import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { append, created } from '../../projections/appending.js';
import { needs } from '../../support/needs.js';
import { runOperator } from '../../support/operator.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { projectLog } from '../../support/projected-log.js';

type Line = Readonly<Record<string, unknown>>;

const linesOf = (text: string): ReadonlyArray<Line> =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line); // reason: an object a line

/** Of a row what does not depend on the order of the columns or on the other fields of a business. */
const shownOf = (row: unknown): unknown => {
  const { parked, revision, body } = row as Line; // reason: a row is an object
  return { parked, revision, body: { name: (body as Line)['name'] } }; // reason: so is what clients are shown
};

describe('the report of a rebuild', function () {
  this.timeout(startingPostgres * 3);
  const [id, surplus] = [randomUUID(), randomUUID()].toSorted() as [string, string]; // reason: of two, two remain
  let env: Record<string, string>;

  beforeEach(async () => {
    const connectionString = await freshDatabase();
    env = { DATABASE_URL: connectionString };
    await projectLog(connectionString, (store) => append(store, `business-${id}`, 0n, created('Acme')));
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query(`update read_model.businesses set body = replace(body, 'Acme', 'Vandal')`);
    await client.query(
      `insert into read_model.businesses (id, place, revision, parked, body) values ('${surplus}', 9, 1, false, 'no JSON')`,
    );
    await client.end();
  });

  const reporting = async (file: string): Promise<readonly [number | NodeJS.Signals, string]> => {
    const { code, stderr } = await runOperator(['projections', 'rebuild', 'businesses', '--report', file], { env });
    return [code, stderr];
  };

  it('has each field of a row that differs, before and after, and rows with their bodies as JSON', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'report-'));
    const file = path.join(directory, 'differences.ndjson');
    const [code, output] = await reporting(file);
    expect(code, output).to.equal(1);
    const [differs, onlyLive, ...others] = linesOf(await readFile(file, 'utf8'));
    await rm(directory, { recursive: true });
    const row = { parked: 'false', revision: '0', body: { name: 'Acme' } };
    expect(shownOf(differs?.['rebuilt'])).to.deep.equal(row);
    expect(shownOf(differs?.['live'])).to.deep.equal({ ...row, body: { name: 'Vandal' } });
    expect({ ...differs, live: 'a row', rebuilt: 'a row' }).to.deep.equal({
      kind: 'Differs',
      id,
      fields: ['body.name'],
      changes: [{ field: 'body.name', from: 'Vandal', to: 'Acme' }],
      live: 'a row',
      rebuilt: 'a row',
    });
    expect(onlyLive).to.deep.include({ kind: 'OnlyLive', id: surplus });
    expect(onlyLive?.['live']).to.deep.include({ place: '9', body: 'no JSON' });
    expect(others).to.deep.equal([]);
  });

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
      .to.match(/the report \/dev\/full is not complete: ENOSPC/)
      .and.not.contain('database');
  });
});
