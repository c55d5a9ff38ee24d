import { either as E } from 'fp-ts';
import type { Clock } from '../../../event-sourcing/clock.js';
import { withTimeout } from '../../../event-sourcing/with-timeout.js';
import type { Cluster } from '../cluster.js';
import { programIn } from '../installation/installation.js';
import { formatOwner, type Owner } from '../../process-liveness.js';
import { type GuardedProcess, startGuarded } from './guarded-process.js';
import { linePrefix, makeLogFilter, saysReady } from './log-lines.js';
import { ownerSetting } from './running-server.js';
import { stopServer } from './stop-server.js';
import type { Runtime } from '../../../event-sourcing/runtime.js';
import { watchIdle } from '../../../event-sourcing/watch-idle.js';

/** A server that we started and that accepts connections. */
export type Server = {
  readonly port: number;
  /** How it ended. */
  readonly ended: Promise<string>;
  /** Stops it by a fast shutdown or, when that takes too long, by force. Does nothing when it has ended. */
  readonly shutDown: () => Promise<void>;
};

export type LaunchFailure = {
  /** `LockHeld`: by a server that another launcher has started, or by one that was killed and is still ending. */
  readonly _tag: 'PortTaken' | 'LockHeld' | 'Failed';
  readonly reason: string;
  readonly lastLines: ReadonlyArray<string>;
};

export type Launch = {
  readonly runtime: Runtime;
  readonly cluster: Cluster;
  readonly owner: Owner;
  readonly port: number;
  readonly settings: Readonly<Record<string, string>>;
  readonly onLog: (line: string) => void;
};

/** A start that prints nothing for so long has failed. Recovery after a crash may take longer, but prints progress. */
const silenceTimeoutMs = 60_000;
/** How long the last output of a server may take to arrive after its end. */
const drainTimeoutMs = 500;
const maxLastLines = 10;

const defaults: Readonly<Record<string, string>> = {
  shared_buffers: '32MB',
  max_connections: '100',
  log_checkpoints: 'off',
  log_min_error_statement: 'panic', // statements contain data
  max_logical_replication_workers: '0',
  max_replication_slots: '0', // with slots each checkpoint writes a file, and the server ends when the disk is full
};

/** These come last on the command line, so nothing overrides them. */
const fixed = (owner: Owner, port: number): Readonly<Record<string, string>> => ({
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  port: String(port),
  log_line_prefix: linePrefix,
  logging_collector: 'off',
  [ownerSetting]: formatOwner(owner),
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
  // the backends of a killed server keep its shared memory until they have noticed
  if (/"postmaster\.pid" already exists|pre-existing shared memory block/.test(text)) return 'LockHeld';
  return 'Failed';
};

/**
 * Passes the notable lines of a server to `onLine` for as long as it runs. Resolves when it accepts connections, or has
 * printed nothing until the timeout.
 */
const watchOutput = async (
  clock: Clock,
  guarded: GuardedProcess,
  onLine: (line: string) => void,
): Promise<'ready' | 'silent'> =>
  new Promise((resolve) => {
    const idle = watchIdle(clock, silenceTimeoutMs, () => resolve('silent'), { isBackground: true });
    void guarded.ended.then(idle.stop);
    const filter = makeLogFilter();
    guarded.onLine((line) => {
      idle.noteProgress();
      if (saysReady(line)) {
        idle.stop();
        resolve('ready');
      }
      const notable = filter(line);
      if (notable !== undefined) onLine(notable);
    });
  });

/** Starts a server. Right: it accepts connections. Left: it does not, and has ended. */
export const launchServer = async (launch: Launch): Promise<E.Either<LaunchFailure, Server>> => {
  const {
    runtime: { clock },
    cluster,
    port,
    onLog,
  } = launch;
  const guarded = startGuarded(programIn(cluster.installation, 'postgres'), argumentsFor(launch), cluster.account);
  const lines: Array<string> = [];
  const begun = watchOutput(clock, guarded, (line) => {
    lines.push(line);
    if (lines.length > maxLastLines) lines.shift();
    onLog(line);
  });
  let running = true;
  void guarded.ended.then(() => (running = false));
  const shutDown = async (): Promise<void> => {
    if (!running) return; // the cluster may have another launcher's server by now
    guarded.triggerWatchdog();
    await stopServer(clock, cluster, guarded.ended);
  };
  const first = await Promise.race([begun, guarded.ended.then(() => 'ended' as const)]);
  if (first === 'ready') return E.right({ port, ended: guarded.ended, shutDown });
  if (first === 'silent') await shutDown();
  await withTimeout(clock, drainTimeoutMs, guarded.drained);
  const reason = first === 'silent' ? `it printed nothing for ${silenceTimeoutMs / 1000} s` : await guarded.ended;
  return E.left({ _tag: failureTag(lines), reason, lastLines: lines });
};
