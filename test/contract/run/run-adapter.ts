import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Adapter, type Environment, SERVERS, type Suite } from './adapters.js';

/** Skipped: promises that the server behind the adapter is known to break. */
type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number };

/** What became of an adapter: counts of each of its suites, or which variable is missing. */
export type Outcome =
  | { readonly _tag: 'Ran'; readonly counts: Readonly<Partial<Record<Suite, Counts>>> }
  | { readonly _tag: 'NotReached'; readonly missing: ReadonlyArray<string> };

type Titled = { readonly fullTitle: string; readonly err?: { readonly message?: string } };
type Report = Readonly<Record<'passes' | 'failures' | 'pending', ReadonlyArray<Titled>>>;

/** Each adapter runs in a process of its own: servers are found by the environment. */
const mocha = async ({ files, grep, needs }: Adapter, environment: Environment): Promise<Report | undefined> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'contract-'));
  const output = path.join(folder, 'report.json');
  const hidden = new Set<string>(SERVERS.filter((name) => !needs.includes(name)));
  const env = Object.fromEntries(Object.entries(environment).filter(([name]) => !hidden.has(name)));
  const select = grep === undefined ? [] : ['--grep', grep];
  const args = [...files, ...select, '--reporter', 'json', '--reporter-option', `output=${output}`];
  const child = spawn(process.execPath, ['node_modules/mocha/bin/mocha.js', ...args], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'exit');
  try {
    return JSON.parse(await readFile(output, 'utf8')) as Report; // reason: mocha's own reporter wrote it
  } catch {
    return undefined; // it ended before it could report
  } finally {
    await rm(folder, { recursive: true });
  }
};

const countOf = (suite: Suite, { passes, failures, pending }: Report): Counts => {
  const isOf = ({ fullTitle }: Titled): boolean => fullTitle.includes(`${suite}: `);
  const count = (tests: ReadonlyArray<Titled>): number => tests.filter(isOf).length;
  const [passed, failed, skipped] = [count(passes), count(failures), count(pending)];
  // a suite without a test has not shown anything
  return passed + failed === 0 ? { passed, failed: 1, skipped } : { passed, failed, skipped };
};

/** Runs an adapter's suites; calls `onFailure` for each failed test. */
export const runAdapter = async (
  adapter: Adapter,
  environment: Environment,
  onFailure: (test: string) => void,
): Promise<Outcome> => {
  const missing = adapter.needs.filter((name) => (environment[name] ?? '') === '');
  if (missing.length > 0) return { _tag: 'NotReached', missing };
  const report = (await mocha(adapter, environment)) ?? { passes: [], failures: [], pending: [] };
  for (const { fullTitle, err } of report.failures) onFailure(`${fullTitle}: ${err?.message ?? 'failed'}`);
  return { _tag: 'Ran', counts: Object.fromEntries(adapter.suites.map((suite) => [suite, countOf(suite, report)])) };
};
