/**
 * How fast the service is, as ratios: each request is measured in turns with the least that could be done in its place,
 * on the same Postgres in the same minutes, so that what else the machine does falls on both; a create also with the
 * service itself without the parts that keep its history, and what settings slow down with the service without them.
 * `npm run bench`; with
 * `--only <part of a name>`, `--seconds` of each measurement, `--rounds`, `--businesses` and `--json`. Needs Linux.
 * Ends with 1 when a request failed.
 */
import { printReport } from './report.js';
import { cases } from './speed/cases.js';
import { besides, columnsOf, type Row } from './speed/compare.js';
import { costOfHistory } from './speed/cost-of-history.js';
import { costOfSettings } from './speed/cost-of-settings.js';
import { readSpeedOptions } from './speed/options.js';
import { withStack } from './speed/stack.js';

const options = readSpeedOptions();

const rows = await withStack({}, options.businesses, async (stack) => {
  const measured: Array<Row> = [];
  for (const each of cases(options.businesses))
    if (each.name.includes(options.only)) measured.push(await stack.compare(each, options));
  return measured;
});
if ('create'.includes(options.only)) rows.push(...(await costOfHistory(options)));
rows.push(...(await costOfSettings(options.only, options)));
printReport({ command: 'bench', options }, { rows, columns: columnsOf('Postgres'), ...besides(rows) });
process.exitCode = rows.every(({ errors }) => errors === 0) ? 0 : 1;
