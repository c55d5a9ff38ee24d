import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { either as E } from 'fp-ts';
import { signToken } from '../../src/cli/sign-token.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { askRun } from './once-a-run/ask.js';
import { type Written, writtenTo } from './written.js';

export const JWT_SECRET = 'the secret of every service that a test starts';

/** A line of the service's log. */
type LogLine = { readonly msg?: string; readonly address?: string };

export type ServiceProcess = {
  /** `http://host:port`. */
  readonly address: string;
  readonly pid: number;
  /** Everything it wrote so far. */
  readonly output: () => string;
  /** The same, once it satisfies: a line of its log may come after the answer to the request that it is about. */
  readonly outputOnce: Written['until'];
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Exit code, or the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals>;
};

type ServiceOptions = {
  readonly dataDir: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Another program, with its arguments, that runs Node. */
  readonly under?: ReadonlyArray<string>;
  /** What Node runs; absent: the program as it is delivered. */
  readonly program?: ReadonlyArray<string>;
};

/** What it has written, once this is in it. */
export const outputWith = ({ outputOnce }: Pick<ServiceProcess, 'outputOnce'>, text: string): Promise<string> =>
  outputOnce((written) => written.includes(text));

/** A token that a service started here accepts. */
export const tokenFor = async (role: string, user: string): Promise<string> => {
  const jwt = { key: { _tag: 'Secret', secret: JWT_SECRET }, issuer: undefined, audience: undefined } as const;
  const request = { user, roles: [role], lifetime: 3600 };
  const token = await signToken(systemRuntime.clock, jwt, request, () => Promise.reject(new Error()));
  if (E.isLeft(token)) throw new Error(token.left);
  return token.right;
};

const lineOf = (text: string): LogLine => {
  try {
    return JSON.parse(text) as LogLine; // reason: the log is one JSON object a line
  } catch {
    return {};
  }
};

/** Resolves with the address as soon as the service says that it listens; rejects with its output if it ends first. */
const listening = (child: ChildProcess, output: () => string, exited: Promise<unknown>): Promise<string> =>
  new Promise((resolve, reject) => {
    if (child.stdout === null) throw new Error('the output of the service has to be piped');
    createInterface(child.stdout).on('line', (text) => {
      const { msg, address } = lineOf(text);
      if (msg === 'listening' && address !== undefined) resolve(address);
    });
    void exited.then((how) => {
      reject(new Error(`the service ended with ${String(how)} before it listened:\n${output()}`));
    });
  });

type Launched = {
  readonly outputOnce: Written['until'];
  /** Resolves when it has started; rejects when it ends before. */
  readonly started: Promise<ServiceProcess>;
};

/** Starts the service, built from its sources, as a process of its own, on a free port. */
export const launchService = async ({ dataDir, env = {}, under = [], program }: ServiceOptions): Promise<Launched> => {
  const { PATH = '', HOME = '' } = process.env;
  const node = [process.execPath, ...(program ?? [path.join(await askRun('build'), 'src/main.js')])];
  const [command = '', ...args] = [...under, ...node];
  const child = spawn(command, args, {
    env: { PATH, HOME, PORT: '0', DATA_DIR: dataDir, JWT_SECRET, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { text: output, until: outputOnce } = writtenTo(child.stdout, child.stderr);
  // not 'exit', which may come before the last of what it wrote
  const exited = once(child, 'close').then(
    // reason: Node documents the arguments of 'close' so
    ([code, signal]) => (code ?? signal) as number | NodeJS.Signals,
  );
  const started = listening(child, output, exited).then((address) => {
    if (child.pid === undefined) throw new Error('a process that listens has a pid');
    return {
      address,
      pid: child.pid,
      output,
      outputOnce,
      exited,
      kill: (signal: NodeJS.Signals) => void child.kill(signal),
    };
  });
  return { outputOnce, started };
};

/** The same; resolves when it listens. */
export const startService = async (options: ServiceOptions): Promise<ServiceProcess> =>
  (await launchService(options)).started;
