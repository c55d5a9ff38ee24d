import { fork } from 'node:child_process';
import { once } from 'node:events';

/** Requests of one kind. Each connection sends the next as soon as it has the answer to the last. */
export type Load = {
  readonly port: number;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  /** One of them for each request, at random. */
  readonly paths: ReadonlyArray<string>;
  readonly headers: Readonly<Record<string, string>>;
  /** Each request brings a business of its own. */
  readonly sendsBusiness: boolean;
  /** Any other is an error. */
  readonly status: number;
  readonly connections: number;
  /** Seconds, or requests. */
  readonly length: { readonly seconds: number } | { readonly requests: number };
};

export type LoadResult = {
  readonly requests: number;
  readonly errors: number;
  readonly seconds: number;
  /** ms within which half were answered, and 99 of 100. */
  readonly p50: number;
  readonly p99: number;
};

export type LoadGenerator = {
  readonly pid: number;
  readonly run: (load: Load) => Promise<LoadResult>;
  readonly stop: () => void;
};

/** A process that does nothing else, so that what it costs stays out of what is measured. */
export const startLoadGenerator = (): LoadGenerator => {
  const child = fork(new URL('generator.ts', import.meta.url));
  if (child.pid === undefined) throw new Error('the load generator did not start');
  return {
    pid: child.pid,
    run: async (load) => {
      child.send(load);
      const [result] = (await once(child, 'message')) as [LoadResult]; // reason: it sends nothing else
      return result;
    },
    stop: () => void child.kill(),
  };
};
