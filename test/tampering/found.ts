import { expect } from 'chai';
import { runOperator } from '../support/operator.js';
import { readinessOf, untilReadiness } from '../support/readiness.js';
import type { ServiceProcess } from '../support/service-process.js';
import { type Kept, LONG_ENOUGH_MS, type SealedService } from './sealed-service.js';

/** What `ops log verify --json` names, as `kind: reason`. */
export type Found = { readonly code: unknown; readonly faults: ReadonlyArray<string>; readonly counts: object };

export const verified = async (
  settings: SealedService['settings'],
  { url, dataDir }: Kept,
  ...args: ReadonlyArray<string>
): Promise<Found> => {
  const env = { ...settings, DATABASE_URL: url, DATA_DIR: dataDir };
  const { code, stdout, stderr } = await runOperator(['log', 'verify', '--json', ...args], { env });
  const lines = stdout
    .split('\n')
    .filter((line) => line !== '')
    // reason: docs/ops-json.md
    .map((line) => JSON.parse(line) as { readonly kind?: string; readonly reason?: string });
  const faults = lines.flatMap(({ kind, reason }) => (kind === undefined ? [] : [`${kind}: ${reason ?? ''}`]));
  return { code, faults, counts: lines.at(-1) ?? { stderr } };
};

export const expectFound = ({ code, faults }: Found, wanted: ReadonlyArray<string>): void => {
  expect(code, faults.join('\n')).to.equal(1);
  for (const one of wanted)
    expect(
      faults.some((fault) => fault.startsWith(one)),
      `${one} in\n${faults.join('\n')}`,
    ).to.equal(true);
};

export const warningsOf = async (service: ServiceProcess): Promise<ReadonlyArray<string>> =>
  (await readinessOf(service)).warnings ?? [];

/** Waits until `/readyz` gives a warning; says after how many seconds. */
export const expectWarning = async (
  service: ServiceProcess,
  warning: string,
  withinMs = LONG_ENOUGH_MS,
): Promise<number> => {
  const began = performance.now();
  await untilReadiness(service, ({ warnings = [] }) => warnings.includes(warning), withinMs);
  return (performance.now() - began) / 1_000;
};

export const expectNoWarning = async (service: ServiceProcess, warning: string): Promise<void> => {
  await untilReadiness(service, ({ warnings = [] }) => !warnings.includes(warning), LONG_ENOUGH_MS);
};
