import { expect } from 'chai';
import { makeLogFilter } from '../../../src/infrastructure/embedded/server/log-lines.js';

const logged = (...lines: ReadonlyArray<string>): ReadonlyArray<string | undefined> => lines.map(makeLogFilter());

describe("what is logged of Postgres's output", () => {
  it('not what every start and stop prints', () => {
    expect(
      logged(
        'postmaster|LOG:  starting PostgreSQL 17.10 on x86_64-pc-linux-gnu',
        'startup|LOG:  database system was shut down at 2026-11-20 10:00:00 UTC',
        'postmaster|LOG:  database system is ready to accept connections',
        'client backend|FATAL:  terminating connection due to administrator command',
      ),
    ).to.deep.equal([undefined, undefined, undefined, undefined]);
  });

  it('recovery, crashes and lines of no known form, with their details', () => {
    expect(
      logged(
        'startup|LOG:  database system was not properly shut down; automatic recovery in progress',
        'checkpointer|ERROR:  could not write to file "base/1": No space left on device',
        'checkpointer|HINT:  Check free disk space.',
        '\tand a second line',
        'sh: 1: postgres: not found',
      ),
    ).to.deep.equal([
      'LOG: database system was not properly shut down; automatic recovery in progress',
      'ERROR: could not write to file "base/1": No space left on device',
      'HINT: Check free disk space.',
      '\tand a second line',
      'sh: 1: postgres: not found',
    ]);
  });

  it("nothing of a client's data", () => {
    expect(
      logged(
        'startup|LOG:  redo starts at 0/1',
        'client backend|ERROR:  duplicate key value violates unique constraint "people"',
        'client backend|DETAIL:  Key (name)=(Ada) already exists.',
        "client backend|STATEMENT:  INSERT INTO people VALUES ('Ada',",
        "\t'Lovelace')",
        'postmaster|LOG:  server process (PID 9) was terminated by signal 11: Segmentation fault',
        "postmaster|DETAIL:  Failed process was running: INSERT INTO people VALUES ('Ada')",
      ).filter((line) => line !== undefined),
    ).to.deep.equal([
      'LOG: redo starts at 0/1',
      'LOG: server process (PID 9) was terminated by signal 11: Segmentation fault',
    ]);
  });
});
