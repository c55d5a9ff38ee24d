import { expect } from 'chai';
import pg from 'pg';
import { appendChained, businessStream, interleaved, makeChains } from '../../support/chained-events.js';
import { runOperator } from '../../support/operator.js';
import { freshDatabase } from '../../support/postgres.js';
import { projectLog } from '../../support/projected-log.js';

const EVENTS = 20;

describe('projections verify ledger', function () {
  this.timeout(240_000);

  let env: Record<string, string>;
  let pool: pg.Pool;

  before(async () => {
    const url = await freshDatabase();
    env = { DATABASE_URL: url };
    pool = new pg.Pool({ connectionString: url, max: 1 });
    await projectLog(url, async (store) => {
      await appendChained(store, makeChains(), ...interleaved(4, EVENTS / 4));
      return BigInt(EVENTS);
    });
  });

  after(() => pool.end());

  const verify = async (...args: ReadonlyArray<string>) => {
    const { code, stdout, stderr } = await runOperator(['projections', 'verify', 'ledger', ...args], { env });
    return { code, stdout: stdout.replaceAll(/event [0-9a-f-]{36}/g, 'event ID'), stderr };
  };

  const WHOLE = `ledger: ${EVENTS} events compared, none differs from its row\n`;

  it('names the row that differs from the log and says what to do, which then mends it', async () => {
    expect((await verify()).stdout).to.equal(WHOLE);
    await pool.query(`update read_model.ledger set name = 'BusinessDeleted', body = '{}' where idx = 6`);
    const { code, stdout } = await verify();
    expect([code, stdout]).to.deep.equal([
      1,
      `ledger: index 6, ${businessStream(2)}, revision 1, event ID: the row of the ledger was changed, in name, body\n` +
        `ledger: ${EVENTS} events compared, 1 difference; where the log is right (ops log verify), ops projections rebuild ledger --switch always makes the rows anew\n`,
    ]);
    const rebuilt = await runOperator(['projections', 'rebuild', 'ledger', '--switch', 'always'], { env });
    expect(rebuilt.code).to.equal(0);
    expect(await verify()).to.deep.include({ code: 0, stdout: WHOLE });
  });

  it('is no part of a sample, and is not repaired row by row', async () => {
    for (const option of [['--repair'], ['--sample', '3']]) {
      const { code, stderr } = await verify(...option);
      expect(code).to.equal(2);
      expect(stderr).to.include(
        'the ledger is compared as a whole, and mended by ops projections rebuild ledger --switch always',
      );
    }
    const sampled = await runOperator(['projections', 'verify', '--sample', '3'], { env });
    expect(sampled.stdout).to.not.include('ledger');
    const all = await runOperator(['projections', 'verify'], { env });
    expect(all.stdout.endsWith(WHOLE)).to.equal(true);
  });
});
