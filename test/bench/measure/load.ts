import { fork } from 'node:child_process';
import { once } from 'node:events';

/** How long requests are sent: seconds, or until there were so many. */
export type Length = { readonly seconds: number } | { readonly requests: number };

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
  readonly length: Length;
};

export type LoadResult = {
  readonly requests: number;
  readonly errors: number;
  readonly seconds: number;
  /** ms within which half were answered, and 99 of 100. */
  readonly p50: number;
  readonly p99: number;
};

/** A process that sends requests and does nothing else, so that what it costs stays out of what is measured. */
export type Sender<A> = {
  readonly pid: number;
  readonly run: (work: A) => Promise<LoadResult>;
  readonly stop: () => void;
};

export type LoadGenerator = Sender<Load>;

/** Starts a module in a process of its own that answers each message with a result. */
export const startSender = <A extends object>(module: URL, args: ReadonlyArray<string> = []): Sender<A> => {
  const child = fork(module, args);
  if (child.pid === undefined) throw new Error(`${module.pathname} did not start`);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${module.pathname} has ended with ${String(code)}`);
  });
  ended.catch(() => undefined); // whoever waits for a result is told
  return {
    pid: child.pid,
    run: async (work) => {
      child.send(work);
      const [result] = (await Promise.race([once(child, 'message'), ended])) as [LoadResult]; // reason: it sends nothing else
      return result;
    },
    stop: () => void child.kill(),
  };
};

export const startLoadGenerator = (): LoadGenerator => startSender(new URL('generator.ts', import.meta.url));
