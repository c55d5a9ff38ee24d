import { either as E } from 'fp-ts';
import { loadConfig } from '../config.js';
import type { Registry } from '../entities/registry.js';
import { makeLogger } from '../infrastructure/logging/logger.js';
import { reasonOf } from '../event-sourcing/reason-of.js';
import { systemRuntime } from '../infrastructure/system-runtime.js';
import { startService } from './start-service.js';
import { Started } from './started.js';
import { systemAdapters } from './system-adapters.js';

/** Longest time, ms, that stopping may take in all. */
const STOP_LIMIT = 25_000;

/** Runs the service of these kinds of entities, by the environment's settings, until SIGTERM or SIGINT. */
export const runService = async (registry: Registry): Promise<void> => {
  const config = loadConfig();
  if (E.isLeft(config)) {
    process.stderr.write(`The configuration is not valid:\n${config.left.map((fault) => `  ${fault}\n`).join('')}`);
    process.exitCode = 1;
    return;
  }
  const log = makeLogger(systemRuntime.clock, config.right.logLevel, process.stdout.isTTY);
  const started = new Started();
  const starting = startService(config.right, log, started, registry, systemRuntime, systemAdapters);
  const stop = async (code: number): Promise<void> => {
    systemRuntime.clock.after(STOP_LIMIT, () => process.exit(1), { isBackground: true });
    await started.stop();
    // a start that is under way goes on, and what it has started by then is stopped, too
    await starting.catch(() => undefined);
    await started.stop();
    log.info('stopped');
    process.exitCode = code;
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => {
      log.info({ signal }, 'stopping');
      void stop(0);
    });
  try {
    const address = await starting;
    if (started.isStopping) return;
    const token = 'npm run -s token -- --role admin --user alice';
    log.info({ address, api: `${address}/api/v1`, docs: `${address}/docs`, token }, 'listening');
  } catch (error) {
    if (started.isStopping) return;
    log.fatal(reasonOf(error));
    await stop(1);
  }
};
