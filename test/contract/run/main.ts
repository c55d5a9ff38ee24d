/**
 * Every contract suite on every adapter that can be reached, and the table of what passed:
 *
 *   npm run test:contract
 *
 * Real servers are named by `DATABASE_URL`, `EVENTSTOREDB_URL` and the S3 settings; what is not named runs in a
 * container where a Docker daemon answers. `REQUIRE_REAL=1` makes it a failure that something was not reached.
 */
import { ADAPTERS, type Environment } from './adapters.js';
import { startContainers } from './containers.js';
import { isDockerThere } from './docker-daemon.js';
import { runAdapter } from './run-adapter.js';
import { hasFailed, notReached, type Row, tableOf } from './table.js';

const runAll = async (environment: Environment): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = [];
  for (const adapter of ADAPTERS) {
    console.error(`… ${adapter.name}`);
    rows.push({ adapter, outcome: await runAdapter(adapter, environment, (test) => console.error(`FAILED ${test}`)) });
  }
  return rows;
};

const none = { settings: {}, stop: () => Promise.resolve() };
const containers = (await isDockerThere(process.env)) ? await startContainers(process.env) : none;
try {
  const rows = await runAll({ ...process.env, ...containers.settings });
  console.log(tableOf(rows));
  const missed = notReached(rows);
  if (missed !== undefined) console.log(`\n${missed}`);
  const isShort = missed !== undefined && process.env['REQUIRE_REAL'] === '1';
  process.exitCode = hasFailed(rows) || isShort ? 1 : 0;
} finally {
  await containers.stop();
}
