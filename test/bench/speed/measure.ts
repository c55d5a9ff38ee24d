import { cpuOf, cpuOfMachine, cpuOfPostgresBelow } from '../processes.js';
import type { Load, LoadGenerator, LoadResult } from './load.js';

/** The processes of a run. Postgres runs below the service, and is that of the limits too. */
export type Bench = {
  readonly service: number;
  readonly limits: number;
  readonly generator: LoadGenerator;
};

export type Measured = {
  readonly result: LoadResult;
  readonly perSecond: number;
  /** CPU time per request, µs. */
  readonly node: number;
  readonly postgres: number;
  /** Shares of one processor: of the generator, and of all that has nothing to do with the run. */
  readonly generator: number;
  readonly others: number;
};

const cpu = ({ service, limits, generator }: Bench) => ({
  service: cpuOf(service),
  limits: cpuOf(limits),
  postgres: cpuOfPostgresBelow(service),
  generator: cpuOf(generator.pid),
  own: cpuOf(process.pid),
  machine: cpuOfMachine(),
});

/** Sends a load to the service or the limits, and says what it cost them. */
export const measure = async (bench: Bench, side: 'service' | 'limits', load: Load): Promise<Measured> => {
  const before = cpu(bench);
  const result = await bench.generator.run(load);
  const after = cpu(bench);
  const spent = (of: keyof typeof after): number => after[of] - before[of];
  const known = spent('service') + spent('limits') + spent('postgres') + spent('generator') + spent('own');
  const elapsed = result.seconds * 1_000_000;
  return {
    result,
    perSecond: result.requests / result.seconds,
    node: spent(side) / result.requests,
    postgres: spent('postgres') / result.requests,
    generator: spent('generator') / elapsed,
    others: Math.max(0, spent('machine') - known) / elapsed,
  };
};
