import { expect } from 'chai';
import pg from 'pg';
import { sqlFailureOf } from '../../src/postgres/sql-failure.js';

const failed = (code: string) => Object.assign(new pg.DatabaseError('failed', 6, 'error'), { code });

describe('a statement that failed', () => {
  for (const [code, failure] of [
    ['57P01', 'Lost'],
    ['57P02', 'Lost'],
    ['57P03', 'Lost'],
    ['57P05', 'Lost'],
    ['25006', 'Lost'],
    ['26000', 'Lost'],
    ['0A000', 'Lost'],
    ['08006', 'Lost'],
    ['40001', 'Lost'],
    ['22021', 'Rejected'],
    ['23514', 'Rejected'],
    ['54000', 'Rejected'],
    ['53100', 'Unable'],
    ['42501', 'Unable'],
    ['57014', 'Unable'],
  ] as const)
    it(`with SQLSTATE ${code} counts as ${failure}`, () => {
      expect(sqlFailureOf(failed(code))).to.equal(failure);
    });

  it('without an answer of the server counts as Lost', () => {
    expect(sqlFailureOf(new Error('Connection terminated unexpectedly'))).to.equal('Lost');
  });
});
