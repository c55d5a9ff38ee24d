import { PassThrough } from 'node:stream';
import { either as E } from 'fp-ts';
import { startService } from '../../src/composition/start-service.js';
import { Started } from '../../src/composition/started.js';
import { systemAdapters } from '../../src/composition/system-adapters.js';
import { readConfig } from '../../src/config.js';
import { registry } from '../../src/entities/registry.js';
import type { Runtime } from '../../src/event-sourcing/runtime.js';
import { makeLogger } from '../../src/infrastructure/logging/logger.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { JWT_SECRET, type ServiceProcess } from './service-process.js';
import { writtenTo } from './written.js';

/** A service in the process of the test. */
export type ComposedService = Pick<ServiceProcess, 'address' | 'output' | 'outputOnce'> & {
  /** Stops it in order, once; resolves when nothing of it is left. */
  readonly stop: () => Promise<void>;
};

type ComposedOptions = {
  readonly dataDir: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Absent: that of the machine. */
  readonly runtime?: Runtime;
};

/**
 * Starts the service by these settings as its process composes it, but in the process of the test, on a free port; for tests
 * that are not about the process. It accepts the tokens of `tokenFor` of service-process.ts. Rejects when it does not start, and
 * leaves nothing running.
 */
export const startComposed = async ({
  dataDir,
  env = {},
  runtime = systemRuntime,
}: ComposedOptions): Promise<ComposedService> => {
  const config = readConfig({ HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir, JWT_SECRET, ...env });
  if (E.isLeft(config)) throw new Error(config.left.join('\n'));
  const lines = new PassThrough();
  const { text: output, until: outputOnce } = writtenTo(lines);
  const log = makeLogger(runtime.clock, config.right.logLevel, false, lines);
  const started = new Started();
  const stop = (): Promise<void> => started.stop();
  try {
    const address = await startService(config.right, log, started, registry, runtime, systemAdapters);
    return { address, output, outputOnce, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
