import { createLedgerIndexes, createLedgerTable } from '../../../projections/engine/postgres/schema/ledger-table.js';
import { insertLedgerRows, ledgerArrays } from '../../../projections/engine/postgres/rows/ledger-arrays.js';
import { ledgerOf, registry } from '../../../src/entities/registry.js';
import { makeLedgerQueries } from '../../../src/infrastructure/postgres/read-models/ledger-queries.js';
import { planByValues } from '../../../src/postgres/index-plans.js';
import { makePool } from '../../../src/postgres/pool.js';
import { ledgerQueriesContract } from '../../contract/ledger-queries.contract.js';
import { freshDatabase } from '../../support/postgres.js';

ledgerQueriesContract('in Postgres', async (rows) => {
  const connectionString = await freshDatabase();
  const pool = makePool({ connectionString, name: 'test', connections: 3, connectMs: 30_000, prepare: planByValues });
  await pool.query('create schema read_model');
  await pool.query(createLedgerTable('read_model.ledger'));
  for (const statement of createLedgerIndexes('read_model.ledger', 'ledger')) await pool.query(statement);
  await pool.query(insertLedgerRows('read_model.ledger', 1, '(select) source'), ledgerArrays(rows));
  await pool.query('analyze read_model.ledger');
  return { queries: makeLedgerQueries(pool, ledgerOf(registry)), close: () => pool.end() };
});
