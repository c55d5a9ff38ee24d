/**
 * Asks the built service whatever the document of its API allows and much that it does not, and holds every answer to
 * that document. `npm run fuzz -- --cases 100000`; a failure says how to repeat it: `npm run fuzz -- --seed S --case N`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startBuiltService } from '../../bench/built-service.js';
import { residentMib } from '../../bench/processes.js';
import { makeApi } from '../../support/api.js';
import { eventually } from '../../support/eventually.js';
import { JWT_SECRET, tokenFor } from '../../support/service-process.js';
import { coverageTable, unreached } from './coverage.js';
import { describeCase } from './report.js';
import { fuzz, repeatCase, type Target } from './run.js';
import { MAX_UPLOAD_BYTES } from './mutations/form.js';

const PROGRESS_MS = 5_000;

/** From here on every documented answer has to have been seen. */
const ENOUGH = 2_000;

const { values: options } = parseArgs({
  options: {
    cases: { type: 'string', default: String(ENOUGH) },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    workers: { type: 'string', default: '8' },
    case: { type: 'string' },
  },
});

const memoryOf = (pid: number): string => {
  try {
    return `the service held at most ${residentMib(pid, 'VmHWM')} MiB`;
  } catch {
    return 'the service has ended';
  }
};

const repeat = async (target: Target, seed: number, number: number): Promise<number> => {
  const repeated = await repeatCase(target, seed, number);
  console.log(describeCase(repeated));
  return repeated.faults.length === 0 ? 0 : 1;
};

const runAll = async (target: Target, seed: number, pid: number): Promise<number> => {
  const cases = Number(options.cases);
  const began = performance.now();
  let done = 0;
  const seconds = (): number => (performance.now() - began) / 1000;
  const progress = setInterval(() => {
    console.error(`${done} of ${cases} cases, ${Math.round(done / seconds())} a second`);
  }, PROGRESS_MS);
  const outcome = await fuzz(target, { seed, cases, workers: Number(options.workers), onCase: () => (done += 1) });
  clearInterval(progress);
  const { failures, coverage, operations } = outcome;
  const missing = cases < ENOUGH ? [] : unreached(operations, coverage);
  console.log(coverageTable(operations, coverage));
  if (failures.count() > 0)
    console.log(`\n${failures.describe((number) => `npm run fuzz -- --seed ${seed} --case ${number}`)}`);
  if (missing.length > 0) console.log(`\nnever answered, though documented: ${missing.join(', ')}`);
  console.log(
    `\n${outcome.cases} of ${cases} cases in ${Math.round(seconds())} s with seed ${seed}, ${failures.count()} failures, ` +
      memoryOf(pid),
  );
  return failures.count() === 0 && missing.length === 0 && outcome.cases === cases ? 0 : 1;
};

/** Hashes in a tile of the tree over all events. */
const TILE = 256;

/** Until as many events are sealed there is no full tile to be answered, which has a path of its own. */
const untilSealed = async (address: string): Promise<void> => {
  const { json } = makeApi(address, await tokenFor('editor', 'alice'));
  await Promise.all(Array.from({ length: TILE }, () => json('POST', '/business', { name: 'sealed' })));
  await eventually(
    () => fetch(`${address}/tlog/tile/0/000`),
    ({ ok }) => ok,
  );
};

const seed = Number(options.seed);
const dataDir = await mkdtemp(path.join(tmpdir(), 'fuzz-'));
const service = await startBuiltService(dataDir, { MAX_UPLOAD_BYTES: String(MAX_UPLOAD_BYTES) });
try {
  await untilSealed(service.address);
  const target = { baseUrl: service.address, secret: JWT_SECRET };
  process.exitCode =
    options.case === undefined
      ? await runAll(target, seed, service.pid)
      : await repeat(target, seed, Number(options.case));
} finally {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
}
