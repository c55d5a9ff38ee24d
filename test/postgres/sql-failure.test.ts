import { expect } from 'chai';
import pg from 'pg';
import { isAway, isDatabaseError, sqlFailureOf } from '../../src/postgres/sql-failure.js';

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

/** As the system gives them. */
const ofSystem = (code: string, members: object) => Object.assign(new Error(`${code}: failed`), { code, ...members });

/** By what it is called: the error, whether it is one of the database, and whether that may work by itself later. */
const ERRORS: Readonly<Record<string, readonly [unknown, boolean, boolean]>> = {
  'what the server answers': [failed('23514'), true, false],
  'what a server answers that starts': [failed('57P03'), true, true],
  'what a pooler says that has no server': [
    Object.assign(new pg.DatabaseError('server login has been failing', 6, 'error'), { code: '08P01' }),
    true,
    true,
  ],
  'what a pooler says of a message': [failed('08P01'), true, false],
  'a port that nobody listens on': [ofSystem('ECONNREFUSED', { syscall: 'connect' }), true, true],
  'a socket that is not there': [ofSystem('ENOENT', { syscall: 'connect', address: '/tmp/.s.PGSQL.5432' }), true, true],
  'a port that may not be asked': [ofSystem('EACCES', { syscall: 'connect' }), true, false],
  'all addresses of a host that nobody listens on': [
    new AggregateError([ofSystem('ECONNREFUSED', {}), ofSystem('ECONNREFUSED', {})]),
    true,
    true,
  ],
  'addresses of a host one of which may not be asked': [
    new AggregateError([ofSystem('ECONNREFUSED', {}), ofSystem('EACCES', {})]),
    true,
    false,
  ],
  'a connection that ends': [new Error('Connection terminated unexpectedly'), true, true],
  'a file that is not there': [ofSystem('ENOENT', { syscall: 'open', path: '/a/file' }), false, false],
  'a file on a disk that is full': [ofSystem('ENOSPC', { syscall: 'write', path: '/a/file' }), false, false],
  'a fault of the program': [new TypeError('undefined is not a function'), false, false],
  'what is no error': ['Connection terminated', false, false],
};

describe('an error', () => {
  for (const [what, [error, isOfDatabase, mayPass]] of Object.entries(ERRORS))
    it(`is ${isOfDatabase ? '' : 'not '}one of the database, which ${mayPass ? 'may pass' : 'does not pass'}: ${what}`, () => {
      expect([isDatabaseError(error), isAway(error)]).to.deep.equal([isOfDatabase, mayPass]);
    });
});
