/**
 * One profile of `docker-compose.yml` from nothing: see test/real/containers.sh, which calls it.
 *
 *   node --import tsx test/real/containers/main.ts single
 */
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually.js';
import { masked, runSteps, stepsOf } from '../../support/worked-example.js';
import { type Build, type Compose, openCompose } from './compose.js';
import { type Stack, STACKS } from './stacks.js';
import { type Api, faultsOf, type Load, startLoad } from './writers.js';

const READY_MS = 300_000;
/** How long a killed container stays away. */
const BROKEN_MS = 3_000;
const GRACE_MS = 30_000;

const say = (text: string): void => console.log(text);
const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // reason: a server that listens on TCP has an address of this form
  server.close();
  return port;
};

type Trial = { readonly stack: Stack; readonly compose: Compose; readonly address: string };

const untilReady = async ({ address }: Trial): Promise<void> => {
  const ask = () =>
    fetch(`${address}/readyz`, { signal: AbortSignal.timeout(5_000) })
      .then(({ ok }) => ok)
      .catch(() => false);
  if (!(await eventually(ask, (ok) => ok, READY_MS))) throw new Error(`not ready within ${READY_MS / 1000} s`);
};

const up = (compose: Compose, build: Build, ...services: ReadonlyArray<string>) =>
  compose.run(build, 'up', '--detach', '--no-build', ...services);

const CLI = /(?:npm run -s|npx --no-install) (token|ops)(?: --)?/g;

/** The worked example of the README, with the programs of the container. */
const runExample = async ({ stack, compose, address }: Trial, directory: string): Promise<void> => {
  const program = `${compose.inShell('trial-1')} exec -T ${stack.operator} node dist/src/cli/$1.js`;
  const steps = stepsOf(await readFile('README.md', 'utf8')).map((step) => ({
    ...step,
    commands: step.commands.replace('http://127.0.0.1:3000', address).replace(CLI, program),
  }));
  const printed = (await runSteps(steps, { directory, env: process.env })).map(masked);
  const wrong = steps.filter(({ printed: promised }, index) => masked(promised ?? '') !== printed[index]);
  if (wrong.length > 0)
    throw new Error(
      wrong.map((step) => `the example's ${step.name} printed:\n${printed[steps.indexOf(step)] ?? ''}`).join('\n'),
    );
  say(`  the worked example: ${steps.map(({ name }) => name).join(', ')}`);
};

/** Waits until more changes are acknowledged. */
const untilAcknowledged = async (load: Load, what: string): Promise<void> => {
  const enough = load.acknowledged() + 20;
  if ((await eventually(load.acknowledged, (count) => count >= enough, READY_MS)) < enough)
    throw new Error(`${what}: no change was acknowledged any more`);
};

/** The same behind a break that is over, and says how long it was for a client. */
const untilRecovered = async (trial: Trial, load: Load, what: string): Promise<void> => {
  await untilReady(trial);
  await untilAcknowledged(load, what);
  say(`  ${what}: at most ${(load.longestPause() / 1000).toFixed(1)} s without an acknowledged change`);
};

const isBack = (compose: Compose, names: ReadonlyArray<string>) => async (): Promise<boolean> => {
  const states = new Map((await compose.states()).map(({ Service, State }) => [Service, State]));
  return names.every((name) => states.get(name) === 'running');
};

const killEach = async (trial: Trial, load: Load): Promise<void> => {
  const { stack, compose } = trial;
  const badGateways = (): number => load.failures.get('502') ?? 0;
  for (const name of [...stack.services, ...stack.stores, ...stack.proxies]) {
    load.longestPause();
    const before = badGateways();
    await compose.run('trial-1', 'kill', '--signal', 'SIGKILL', name);
    if (stack.spare.includes(name)) await untilAcknowledged(load, `without ${name}`);
    else await delay(BROKEN_MS);
    await compose.run('trial-1', 'start', name);
    await untilRecovered(trial, load, `${name} killed`);
    if (stack.stores.includes(name) && badGateways() > before)
      throw new Error(`the APIs were left out without ${name}`);
  }
};

const killAll = async (trial: Trial, load: Load): Promise<void> => {
  load.longestPause();
  await trial.compose.run('trial-1', 'kill', '--signal', 'SIGKILL');
  await up(trial.compose, 'trial-1', ...trial.stack.up);
  await untilRecovered(trial, load, 'all killed at once');
};

/** A container whose program ends by itself is started again by the engine. */
const endByItself = async (trial: Trial, load: Load): Promise<void> => {
  for (const name of trial.stack.services) {
    load.longestPause();
    const end = 'process.kill(1, "SIGTERM")';
    await trial.compose.run('trial-1', 'exec', '-T', name, 'node', '-e', end).catch(() => undefined); // it ends with the container
    await delay(BROKEN_MS);
    if (!(await eventually(isBack(trial.compose, [name]), Boolean, READY_MS)))
      throw new Error(`${name} did not come back`);
    await untilRecovered(trial, load, `${name} ended by itself`);
  }
};

/** `docker compose stop`: within its time, each with the code of a program that ended in order. */
const stopInOrder = async (trial: Trial, load: Load): Promise<void> => {
  const { stack, compose } = trial;
  const since = performance.now();
  load.longestPause();
  for (const name of stack.services) {
    const start = performance.now();
    await compose.run('trial-1', 'stop', name);
    if (performance.now() - start > GRACE_MS) throw new Error(`${name} took ${seconds(start)} to stop`);
  }
  const services = seconds(since);
  await compose.run('trial-1', 'stop');
  const codes = (await compose.states()).map(({ Service, ExitCode }) => `${Service} ${ExitCode}`);
  const bad = codes.filter((code) => !code.endsWith(' 0'));
  if (bad.length > 0) throw new Error(`stopped with another code than 0: ${bad.join(', ')}`);
  say(`  stopped in order: the service in ${services}, all in ${seconds(since)}, each with code 0`);
  await up(compose, 'trial-1', ...stack.up);
  await untilRecovered(trial, load, 'stopped and started again');
};

/** Each container of the service is replaced by one of the second build, one after the other. */
const upgrade = async (trial: Trial, load: Load): Promise<void> => {
  const { stack, compose } = trial;
  await compose.run('trial-2', 'build', stack.operator);
  for (const name of stack.services) {
    load.longestPause();
    const failed = new Map(load.failures);
    await compose.run('trial-2', 'up', '--detach', '--no-build', '--no-deps', name);
    await untilRecovered(trial, load, `${name} upgraded`);
    const more = [...load.failures].filter(([what, count]) => count > (failed.get(what) ?? 0)).map(([what]) => what);
    say(`    answers that were not 200 meanwhile: ${more.length === 0 ? 'none' : more.join(', ')}`);
  }
};

/** Everything that is acknowledged is there, once and in order, and the log is whole. */
const verifyAll = async ({ stack, compose }: Trial, api: Api, load: Load): Promise<void> => {
  const written = await load.stop();
  const faults = await faultsOf(api, written);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const verify = ['node', 'dist/src/cli/ops.js', 'log', 'verify'];
  say((await compose.run('trial-2', 'exec', '-T', stack.operator, ...verify)).trim().replace(/^/gm, '  '));
  const others = [...load.failures].map(([what, count]) => `${count} × ${what}`).join(', ');
  say(`  ${load.acknowledged()} changes were acknowledged: all are there, none twice; other answers: ${others}`);
};

const runTrial = async (trial: Trial, directory: string): Promise<void> => {
  const { stack, compose, address } = trial;
  const since = performance.now();
  await compose.run('trial-1', 'build', stack.operator);
  say(`  the image built in ${seconds(since)}`);
  const started = performance.now();
  await up(compose, 'trial-1', ...stack.up);
  await untilReady(trial);
  say(`  ready ${seconds(started)} after the first \`up\``);
  await runExample(trial, directory);
  const sign = ['dist/src/cli/token.js', '--role', 'admin', '--user', 'trial'];
  const token = (await compose.run('trial-1', 'exec', '-T', stack.operator, 'node', ...sign)).trim();
  const api = { url: `${address}/api/v1`, token };
  const load = startLoad(api);
  try {
    for (const part of [killEach, killAll, endByItself, stopInOrder, upgrade]) await part(trial, load);
  } catch (error) {
    void load.stop().catch(() => undefined);
    throw error;
  }
  await verifyAll(trial, api, load);
};

const main = async (name: string): Promise<void> => {
  const stack = STACKS[name];
  if (stack === undefined) throw new Error(`there is no stack ${name}, but ${Object.keys(STACKS).join(' and ')}`);
  const directory = await mkdtemp(path.join(tmpdir(), 'containers-'));
  const port = await freePort();
  const project = `trial-${name}-${process.pid}`;
  const env = { [stack.portVariable]: String(port) };
  const compose = await openCompose({ name: project, directory, services: stack.services, env });
  say(`${name}: project ${project}`);
  try {
    await runTrial({ stack, compose, address: `http://127.0.0.1:${port}` }, directory);
  } catch (error) {
    const services = ['logs', '--no-color', '--tail', '15', ...stack.services];
    for (const words of [['ps', '--all'], services])
      console.error(await compose.run('trial-1', ...words).catch(String));
    throw error;
  } finally {
    await compose.run('trial-1', 'down', '--volumes', '--timeout', '5');
    await rm(directory, { recursive: true });
  }
};

const messageOf = (error: unknown): string =>
  error instanceof Error
    ? [error.message, ...(error.cause === undefined ? [] : [messageOf(error.cause)])].join(': ')
    : '';

await main(process.argv[2] ?? '').catch((error: unknown) => {
  // a failed command's message has all that it printed, and its properties have that twice more
  console.error(messageOf(error));
  process.exitCode = 1;
});
process.exit(); // a writer may still wait for an answer that nobody gives any more
