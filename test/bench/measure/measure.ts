import { cpuOf, cpuOfMachine } from '../processes.js';
import type { Length, LoadResult } from './load.js';

/** Who answers requests, and how they are sent to it. */
export type Side = {
  /** The Node process whose CPU time counts. */
  readonly pid: number;
  readonly send: (length: Length) => Promise<LoadResult>;
  /** Seconds that it has spent in garbage collection so far; absent: it does not say. */
  readonly collected?: () => Promise<number>;
};

/** Servers that both sides use: CPU time so far, µs; NaN where it cannot be seen. */
type Servers = Readonly<Record<'postgres' | 'eventStoreDb', () => number>>;

/** What belongs to a run. */
export type Processes = {
  readonly servers: Servers;
  /** Whoever sends the requests. */
  readonly generator: number;
  /** All other Node processes of the run, but for this one. */
  readonly others: ReadonlyArray<number>;
};

export type Measured = LoadResult & {
  readonly perSecond: number;
  /** CPU time per request, µs; NaN where it cannot be seen. */
  readonly node: number;
  readonly postgres: number;
  readonly eventStoreDb: number;
  /** Share of `node` that was garbage collection; NaN where the side does not say. */
  readonly gc: number;
  /** Shares of one processor: of the generator, and of all that has nothing to do with the run. */
  readonly generator: number;
  readonly foreign: number;
};

const cpu = (pid: number, { servers, generator, others }: Processes) => {
  const [postgres, eventStoreDb] = [servers.postgres(), servers.eventStoreDb()];
  const nodes = [generator, process.pid, ...others].map(cpuOf);
  const seen = [postgres, eventStoreDb].filter((each) => !Number.isNaN(each));
  const known = [...nodes, ...seen].reduce((sum, each) => sum + each, 0);
  const machine = cpuOfMachine();
  return { node: cpuOf(pid), postgres, eventStoreDb, generator: cpuOf(generator), foreign: machine - known };
};

/** Sends requests to one side, and says what they cost. */
export const measure = async (
  processes: Processes,
  { pid, send, collected }: Side,
  length: Length,
): Promise<Measured> => {
  // what asking for it costs stays outside
  const collectedBefore = (await collected?.()) ?? NaN;
  const before = cpu(pid, processes);
  const result = await send(length);
  const after = cpu(pid, processes);
  const collectedAfter = (await collected?.()) ?? NaN;
  const spent = (of: keyof typeof after): number => after[of] - before[of];
  const elapsed = result.seconds * 1_000_000;
  return {
    ...result,
    perSecond: result.requests / result.seconds,
    node: spent('node') / result.requests,
    postgres: spent('postgres') / result.requests,
    eventStoreDb: spent('eventStoreDb') / result.requests,
    gc: ((collectedAfter - collectedBefore) * 1_000_000) / spent('node'),
    generator: spent('generator') / elapsed,
    foreign: Math.max(0, spent('foreign')) / elapsed,
  };
};
