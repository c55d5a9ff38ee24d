import { expect } from 'chai';
import pg from 'pg';
import { createLedgerIndexes, createLedgerTable } from '../../../projections/engine/postgres/schema/ledger-table.js';
import { pageStatement } from '../../../src/infrastructure/postgres/read-models/ledger-statement.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';

const ROWS = 20_000;
const LIMIT = 100;

type Plan = { readonly Plan: Node };
type Node = {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: ReadonlyArray<Node>;
};

const met = (node: Node): number =>
  Math.max(
    node['Actual Loops'] *
      (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)),
    ...(node.Plans ?? []).map(met),
  );

describe('words of a reason, in a ledger of many', function () {
  this.timeout(startingPostgres);

  let client: pg.Client;

  before(async () => {
    client = new pg.Client({ connectionString: await freshDatabase() });
    await client.connect();
    await client.query(`create schema read_model; ${createLedgerTable('read_model.ledger')}`);
    for (const statement of createLedgerIndexes('read_model.ledger', 'ledger')) await client.query(statement);
    // every second event has a reason
    const words = `case when n % 2 = 0 then array_to_tsvector(
      array['all', 'half' || n / 2 % 2, 'few' || n / 2 % 500, 'one' || n]) end`;
    await client.query(`insert into read_model.ledger
      select n, 'business', 'e' || n, 0, 'BusinessUpdated', 'ann', now(), now(), false, '{}', '{}', ${words}, '\\x00',
        repeat('x', 500) from generate_series(0, ${ROWS - 1}) n`);
    await client.query('vacuum analyze read_model.ledger');
  });

  after(() => client.end());

  const read = async (reason: ReadonlyArray<string>, direction: 'forwards' | 'backwards') => {
    const asked = { view: 'read_model.ledger', categories: ['business'], filter: { reason } };
    const bounds = { all: { after: -1n, before: 2n ** 62n }, late: undefined };
    const { text, values } = pageStatement(asked, { direction, limit: LIMIT }, bounds);
    const { rows } = await client.query(text, [...(values as ReadonlyArray<string>)]);
    const explained = await client.query<{ 'QUERY PLAN': ReadonlyArray<Plan> }>(
      `explain (analyze, format json) ${text}`,
      [...(values as ReadonlyArray<string>)],
    );
    return { found: rows.length, met: met(explained.rows[0]!['QUERY PLAN'][0]!.Plan) };
  };

  for (const direction of ['forwards', 'backwards'] as const)
    it(`are found ${direction} by about as many rows as a page shows, however many have them`, async () => {
      for (const [reason, found, most] of [
        [['all'], LIMIT + 1, 3 * LIMIT],
        [['all', 'half1'], LIMIT + 1, 3 * LIMIT],
        [['few7'], 20, 20],
        [['all', 'few7'], 20, 20],
        [['one4'], 1, 1],
        [['one3'], 0, 1],
        [['one4', 'one6'], 0, 1],
        // which the statistics do not tell: at most all events that have a reason
        [['half0', 'half1'], 0, ROWS / 2],
      ] as const) {
        const page = await read(reason, direction);
        expect(page.found, reason.join(' ')).to.equal(found);
        expect(page.met, reason.join(' ')).to.be.at.most(most);
      }
    });
});
