import { setTimeout as delay } from 'node:timers/promises';
import { type BuiltService, startBuiltService } from '../../bench/built-service.js';
import { residentMib } from '../../bench/processes.js';
import { makeNews, type News } from '../../support/news.js';
import { type Figures, heldBy, type Held } from './figures.js';
import { connectInspector, type Heap, type Inspector } from './inspector.js';

/** A service that can be measured. */
export type Target = {
  readonly address: string;
  readonly port: number;
  readonly pid: number;
  readonly dataDir: string;
  readonly held: () => Held;
  /** MiB, garbage included; rejects once the process has ended. */
  readonly heap: () => Promise<Heap>;
  /** All figures when its garbage has been collected. */
  readonly figuresAtRest: () => Promise<Figures>;
  /** Most resident memory since the start or `forgetPeak`, MiB. */
  readonly peak: () => number;
  /** How it ended; undefined while it lives. */
  readonly death: () => string | undefined;
  /** Asks it to stop, and ends it if it does not. */
  readonly stop: () => Promise<void>;
};

const MIB = 1024 * 1024;
const STOP_LIMIT = 15_000; // ms

const inMib = ({ used, external, limit }: Heap): Heap => ({
  used: Math.round(used / MIB),
  external: Math.round(external / MIB),
  limit: Math.round(limit / MIB),
});

const stopped = async ({ pid, stop, exited }: BuiltService): Promise<void> => {
  const ended = await Promise.race([stop().then(() => true), delay(STOP_LIMIT, false, { ref: false })]);
  if (ended) return;
  process.kill(pid, 'SIGKILL');
  await exited;
};

/** SIGUSR1 has Node listen for an inspector, and say where. */
const inspect = async (pid: number, written: () => string, news: News): Promise<Inspector> => {
  const address = (): string | undefined => /listening on (ws:\S+)/.exec(written())?.[1];
  process.kill(pid, 'SIGUSR1');
  await news.until(() => address() !== undefined);
  return connectInspector(address()!);
};

/**
 * Starts the built service as `npm start` does, with a limit of open files where one is given. Its inspector, on a port
 * of its own, is the only difference: it costs some six descriptors, which are there before and after a flood.
 */
export const startTarget = async (dataDir: string, openFiles?: number): Promise<Target> => {
  let written = '';
  const news = makeNews();
  let death: string | undefined;
  const service = await startBuiltService(
    dataDir,
    { NODE_OPTIONS: '--inspect-port=0' },
    {
      ...(openFiles === undefined ? {} : { openFiles }),
      onError: (text) => {
        written = (written + text).slice(-100_000);
        news.tell();
      },
    },
  );
  const { address, pid, exited } = service;
  void exited.then((how) => {
    death = `${String(how)}${/FATAL ERROR: .*/.exec(written)?.[0].replace(/^/, ', ') ?? ''}`;
  });
  const inspector = await inspect(pid, () => written, news);
  const heap = async (): Promise<Heap> => inMib(await inspector.heap());
  const held = (): Held => heldBy(pid, dataDir);
  return {
    address,
    port: Number(new URL(address).port),
    pid,
    dataDir,
    held,
    heap,
    figuresAtRest: async () => {
      // the second one takes what finalizers of the first let go
      await inspector.collectGarbage();
      await inspector.collectGarbage();
      const { used, external } = await heap();
      return { ...held(), heap: used, external };
    },
    peak: () => residentMib(pid, 'VmHWM'),
    death: () => death,
    stop: async () => {
      inspector.close();
      await stopped(service);
    },
  };
};
