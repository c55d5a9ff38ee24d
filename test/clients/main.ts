/**
 * Clients that are generated from the description of the built service, against that service, its Postman collection by Newman,
 * and the HTTP suites through Prism:
 *
 *   npm run test:clients -- orval kubb
 *
 * Without a name, all. Prints what came of each, and counts as mocha does; ends with 1 when something failed.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startService, tokenFor } from '../support/service-process.js';
import { GENERATORS } from './run/generators.js';
import { countOf, type Row, tableOf } from './run/table.js';
import { type Service, tryGenerator } from './run/try-generator.js';
import { NEWMAN, tryNewman } from './run/try-newman.js';
import { PRISM, tryPrism } from './run/try-prism.js';

const withService = async <A>(use: (service: Service) => Promise<A>): Promise<A> => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'clients-'));
  try {
    const { address, kill, exited } = await startService({ dataDir, program: ['dist/src/main.js'] });
    try {
      const description = await (await fetch(`${address}/openapi.json`)).text();
      return await use({ address, token: await tokenFor('admin', 'alice'), description });
    } finally {
      kill('SIGTERM');
      await exited;
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
};

/** What is tried with a service, by name, in the order of the table. */
const tries: ReadonlyMap<string, (service: Service) => Promise<Row>> = new Map([
  ...GENERATORS.map((generator) => [generator.name, (service: Service) => tryGenerator(generator, service)] as const),
  [NEWMAN, tryNewman] as const,
  [PRISM, tryPrism] as const,
]);

const names = process.argv.slice(2);
const unknown = names.filter((name) => !tries.has(name));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(', ')}; there are ${[...tries.keys()].join(', ')}`);
  process.exit(2);
}

const rows = await withService(async (service) => {
  const tried: Array<Row> = [];
  for (const [name, tryIt] of tries) {
    if (names.length > 0 && !names.includes(name)) continue;
    console.error(`… ${name}`);
    tried.push(await tryIt(service));
  }
  return tried;
});
console.log(tableOf(rows));
// as mocha counts
const held = countOf(rows, 'Ok');
const failed = countOf(rows, 'Failed');
console.log(`\n  ${held} passing`);
if (failed > 0) console.log(`  ${failed} failing`);
// where nothing could be tried, nothing holds
process.exitCode = failed === 0 && held > 0 ? 0 : 1;
