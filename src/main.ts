import { either as E } from 'fp-ts';
import { startService } from './composition/start-service.js';
import { Started } from './composition/started.js';
import { type Config, loadConfig } from './config.js';
import { makeLogger } from './infrastructure/logging/logger.js';
import { reasonOf } from './infrastructure/logging/reason-of.js';

/** Longest time, ms, that stopping may take in all. */
const STOP_LIMIT = 25_000;

const run = async (config: Config): Promise<void> => {
  const log = makeLogger(config.logLevel, process.stdout.isTTY);
  const started = new Started();
  const stop = async (code: number): Promise<void> => {
    setTimeout(() => process.exit(1), STOP_LIMIT).unref();
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
    const address = await startService(config, log, started);
    const token = 'npm run -s token -- --role admin --user alice';
    log.info({ address, api: `${address}/api/v1`, docs: `${address}/docs`, token }, 'listening');
  } catch (error) {
    log.fatal(reasonOf(error));
    await stop(1);
  }
};

const config = loadConfig();
if (E.isLeft(config)) {
  process.stderr.write(`The configuration is not valid:\n${config.left.map((fault) => `  ${fault}\n`).join('')}`);
  process.exitCode = 1;
} else {
  await run(config.right);
}
