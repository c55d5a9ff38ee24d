import { setTimeout as delay } from 'node:timers/promises';
import { either as E, type taskEither as TE } from 'fp-ts';
import { type Projections, startProjections } from '../projections/engine/start-projections.js';
import { type Config, loadConfig } from './config.js';
import { startSweeping } from './application/document/start-sweeping.js';
import { makeApp } from './http/app.js';
import { makeAuthenticate } from './http/authentication/authenticate.js';
import type { VerificationKey } from './http/authentication/token-verification.js';
import { serve } from './http/serve.js';
import { makeService } from './http/service.js';
import { developmentSecret } from './infrastructure/disk/development-secret.js';
import { type Logger, makeLogger } from './infrastructure/logging/logger.js';
import { tellIncident, tellNotice } from './infrastructure/logging/tell.js';
import { tellSweepFault, tellSwept } from './infrastructure/logging/tell-sweep.js';
import { openStorage } from './infrastructure/open-storage.js';
import { openStores } from './infrastructure/open-stores.js';
import { makeReadModelQueries } from './infrastructure/postgres/make-read-model-queries.js';
import { makeReadiness } from './infrastructure/readiness.js';

/** Longest time, ms, that running requests get to finish when the service stops. */
const STOP_DEADLINE = 10_000;

/** How long the start waits for the read models, and between two looks, ms. */
const START_PATIENCE = 5_000;
const GLANCE = 10;

/** Longest time, ms, that stopping may take in all. */
const STOP_LIMIT = 25_000;

/** What has been started, to be stopped in reverse order. */
class Started {
  readonly #stops: Array<() => Promise<unknown>> = [];

  add(stop: () => Promise<unknown>): void {
    this.#stops.unshift(stop);
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) await stop();
  }
}

const required = async <A>(opening: TE.TaskEither<{ readonly message: string }, A>): Promise<A> => {
  const opened = await opening();
  if (E.isLeft(opened)) throw new Error(opened.left.message);
  return opened.right;
};

const verificationKey = async ({ jwt: { key }, dataDir }: Config): Promise<VerificationKey> =>
  key._tag === 'Development' ? { _tag: 'Secret', secret: await developmentSecret(dataDir) } : key;

/** Resolves when the read models can be asked; they may come later when their database is away. */
const begun = async ({ status }: Projections): Promise<void> => {
  const isStarting = (): boolean => Object.values(status()).some(({ activity }) => activity._tag === 'Starting');
  for (let waited = 0; isStarting() && waited < START_PATIENCE; waited += GLANCE) await delay(GLANCE);
};

const start = async (config: Config, log: Logger, started: Started): Promise<void> => {
  const stores = await required(
    openStores({
      config,
      claim: 'service',
      onPostgresLog: (line) => log.info({ postgres: line }, 'embedded Postgres'),
      onIncident: tellIncident(log),
    }),
  );
  started.add(stores.close);
  const storage = await required(openStorage(config));
  const queries = makeReadModelQueries({ connectionString: stores.readModelsUrl });
  started.add(queries.close);
  const projections = startProjections({
    store: stores.store,
    connectionString: stores.readModelsUrl,
    projector: config.parts.projector,
    isSoleProcess: stores.isSoleProcess,
    onNotice: tellNotice(log),
  });
  started.add(projections.stop);
  if (config.parts.projector)
    started.add(
      startSweeping({
        store: stores.store,
        storage,
        now: () => new Date(),
        onFault: tellSweepFault(log),
        onSwept: tellSwept(log),
      }).stop,
    );
  await begun(projections);

  let isStopping = false;
  const { businesses, documents } = projections;
  const service = makeService({
    store: stores.store,
    storage,
    businesses: { ...businesses, queries: queries.businesses },
    documents: { ...documents, queries: queries.documents },
    now: () => new Date(),
  });
  const app = makeApp({
    service,
    authenticate: makeAuthenticate({ ...config.jwt, key: await verificationKey(config) }),
    readiness: makeReadiness({
      'shutting down': () => Promise.resolve(!isStopping),
      'event log': async () => E.isRight(await stores.store.head()()),
      'read models': async () => E.isRight(await queries.ping()),
    }),
    corsOrigins: config.corsOrigins,
    publicDocumentList: config.publicDocumentList,
    maxUploadBytes: config.maxUploadBytes,
    rateLimit: config.rateLimit,
    log,
  });
  const handle = app.callback();
  const served = await serve((request, response) => void handle(request, response), config);
  started.add(() => {
    isStopping = true;
    return served.stop(STOP_DEADLINE);
  });
  log.info(
    {
      address: served.address,
      api: `${served.address}/api/v1`,
      docs: `${served.address}/docs`,
      token: 'npm run -s token -- --role admin --user alice',
    },
    'listening',
  );
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

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
    await start(config, log, started);
  } catch (error) {
    log.fatal(messageOf(error));
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
