import { setTimeout as delay } from 'node:timers/promises';
import { either as E } from 'fp-ts';
import type { Cluster } from '../cluster.js';
import { type GuardedProcess, startGuarded } from './guarded-process.js';
import { programIn } from '../installation/installation.js';
import { linePrefix, makeLogReader, saysReady } from './log-lines.js';
import { ownerSetting } from './occupant.js';
import { type Owner, ownerText } from '../process-liveness.js';
import { stopServer } from './stop-server.js';

/** A server that we started and that accepts connections. */
export type Server = {
  readonly port: number;
  /** How it ended. */
  readonly ended: Promise<string>;
  /** Resolves when it is down: by a fast shutdown, or, should that take too long, by force. Does nothing after that. */
  readonly shutDown: () => Promise<void>;
};

export type LaunchFailure = {
  readonly _tag: 'PortTaken' | 'HeldByAnother' | 'Failed';
  readonly how: string;
  readonly lastLines: ReadonlyArray<string>;
};

export type Launch = {
  readonly cluster: Cluster;
  readonly owner: Owner;
  readonly port: number;
  readonly settings: Readonly<Record<string, string>>;
  readonly onLog: (line: string) => void;
};

/** ms of silence after which a start has failed. Recovery after a crash may take long, but tells of its progress. */
const silence = 60_000;
const lastOutput = 500; // ms for what a server has printed to arrive after its end
const keptLines = 10;

const defaults: Readonly<Record<string, string>> = {
  shared_buffers: '32MB',
  max_connections: '100',
  log_checkpoints: 'off',
  log_min_error_statement: 'panic', // statements carry data
  max_logical_replication_workers: '0',
  max_replication_slots: '0', // else each checkpoint writes a new file, and the server ends when the disk is full
};

/** Last, so that nothing overrides them. */
const fixed = (owner: Owner, port: number): Readonly<Record<string, string>> => ({
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  port: String(port),
  log_line_prefix: linePrefix,
  logging_collector: 'off',
  [ownerSetting]: ownerText(owner),
});

const argumentsFor = ({ cluster, owner, port, settings }: Launch): ReadonlyArray<string> =>
  ['-D', cluster.data].concat(
    Object.entries({ ...defaults, ...settings, ...fixed(owner, port) }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]),
  );

const failureTag = (lines: ReadonlyArray<string>): LaunchFailure['_tag'] => {
  const text = lines.join('\n');
  if (/could not bind|could not create any TCP\/IP sockets/.test(text)) return 'PortTaken';
  // shared memory outlives a killed server until its last backend has noticed
  if (/"postmaster\.pid" already exists|pre-existing shared memory block/.test(text)) return 'HeldByAnother';
  return 'Failed';
};

/** Reads the output of a server for as long as it runs, and tells when it has begun to serve or to be silent. */
const follow = async (guarded: GuardedProcess, tell: (line: string) => void): Promise<'ready' | 'silent'> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve('silent'), silence).unref();
    const read = makeLogReader();
    guarded.onLine((line) => {
      timer.refresh();
      if (saysReady(line)) resolve('ready');
      const told = read(line);
      if (told !== undefined) tell(told);
    });
  });

/** Starts a server. Right: it accepts connections. Left: it is gone again. */
export const launchServer = async (launch: Launch): Promise<E.Either<LaunchFailure, Server>> => {
  const { cluster, port, onLog } = launch;
  const guarded = startGuarded(programIn(cluster.installation, 'postgres'), argumentsFor(launch), cluster.account);
  const lines: Array<string> = [];
  const begun = follow(guarded, (line) => {
    lines.push(line);
    if (lines.length > keptLines) lines.shift();
    onLog(line);
  });
  let running = true;
  void guarded.ended.then(() => (running = false));
  const shutDown = async (): Promise<void> => {
    if (!running) return; // by now there may be a server of somebody else
    guarded.letGo();
    await stopServer(cluster, guarded.ended);
  };
  const first = await Promise.race([begun, guarded.ended.then(() => 'ended' as const)]);
  if (first === 'ready') return E.right({ port, ended: guarded.ended, shutDown });
  if (first === 'silent') await shutDown();
  await Promise.race([guarded.drained, delay(lastOutput)]);
  const how = first === 'silent' ? `it was silent for ${silence / 1000} s` : await guarded.ended;
  return E.left({ _tag: failureTag(lines), how, lastLines: lines });
};
