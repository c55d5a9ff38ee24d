import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Readable, Writable } from 'node:stream';
import type { Asked, Ran } from './operator.js';

// A process that runs commands of `ops` one after the other, each with a command line, an environment and streams of its own.

/** As `src/cli/ops.ts` has it, in the program as it is delivered. */
type RunOps = (load: () => Promise<unknown>) => Promise<void>;

const [, , dist = ''] = process.argv;
const load = (module: string): Promise<unknown> =>
  import(pathToFileURL(path.join(path.resolve(dist), 'src', module)).href);
// reason: what these modules export
const { runOps } = (await load('cli/run-ops.js')) as { readonly runOps: RunOps };
const registry = async (): Promise<unknown> =>
  ((await load('entities/registry.js')) as { readonly registry: unknown }).registry;

const collecting = () => {
  const chunks: Array<Buffer> = [];
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
};

/** What a process hears of while it runs a command, which goes with it. */
const HEARD = ['exit', 'SIGINT', 'SIGTERM'];

/** What would keep a process alive. */
const busyWith = (): string =>
  process
    .getActiveResourcesInfo()
    .filter((name) => name !== 'Immediate')
    .sort()
    .join();

const run = async ({ args, env, input }: Asked): Promise<Ran> => {
  const before = busyWith();
  const [stdout, stderr] = [collecting(), collecting()];
  const stdin = Readable.from(input === '' ? [] : [Buffer.from(input)]);
  for (const [name, value] of Object.entries({ stdin, stdout: stdout.stream, stderr: stderr.stream }))
    Object.defineProperty(process, name, { configurable: true, value });
  process.argv = [process.execPath, 'ops', ...args];
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, env);
  process.exitCode = 0;
  const emitter: NodeJS.EventEmitter = process;
  const heard = HEARD.map((name) => [name, emitter.listeners(name)] as const);
  try {
    await runOps(registry);
    // a process of its own would not end before
    while (busyWith() !== before) await nextTurn();
    return { code: process.exitCode, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    for (const [name, listeners] of heard) {
      emitter.removeAllListeners(name);
      // reason: what was given as a listener
      for (const listener of listeners) emitter.on(name, listener as () => void);
    }
    process.exitCode = 0;
  }
};

process.on('disconnect', () => process.exit());
// a fault of a command ends the process, as it ends that of `ops`
process.on('message', (asked: Asked) => void run(asked).then((ran) => process.send?.(ran)));
process.send?.('ready');
