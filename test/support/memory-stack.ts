import { type AppOptions, makeApp } from '../../src/http/app.js';
import { makeAuthenticate } from '../../src/http/authentication/authenticate.js';
import type { ConnectionLimits } from '../../src/http/budget/connections.js';
import { callerRoutes } from '../../src/http/caller/routes.js';
import type { Route } from '../../src/http/route.js';
import { serve } from '../../src/http/serve.js';
import { programVersion } from '../../src/infrastructure/program-version.js';
import { type EntityOptions, type MemoryPorts, memoryPorts, routesOver } from './memory-ports.js';
import { makeHeard } from './news.js';
import type { Stack } from './running-stack.js';
import { SECRET, tokenFor } from './tokens.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { docsPage } from './docs-page.js';

type LogLine = { readonly level: 'info' | 'warn' | 'error'; readonly message: string; readonly fields: object };

/** Options of the app under test; `ports` may replace some of those in memory. */
export type MemoryStackOptions = Partial<Omit<AppOptions, 'entityRoutes'> & EntityOptions> & {
  readonly limits?: Partial<ConnectionLimits>;
  readonly ports?: (ports: MemoryPorts) => Partial<MemoryPorts>;
  /** Further rows of the table. */
  readonly routes?: ReadonlyArray<Route>;
};

export type MemoryStack = Stack & {
  readonly ports: MemoryPorts;
  readonly log: ReadonlyArray<LogLine>;
  /** Resolves with the first line that is meant: a line may come after the answer to the request that it is about. */
  readonly logged: (isMeant: (line: LogLine) => boolean) => Promise<LogLine>;
};

const MAX = 1_000_000;

const ready = () => Promise.resolve({ checks: { log: 'ok' }, missing: [] });

/** The whole HTTP surface over ports in memory, on a port of its own. */
export const startMemoryStack = async (options: MemoryStackOptions = {}): Promise<MemoryStack> => {
  const {
    ports: replace = () => ({}),
    limits = {},
    publicDocumentList = false,
    maxUploadBytes = MAX,
    routes = [],
    runtime = systemRuntime,
    ...given
  } = options;
  const { ports: original, close } = await memoryPorts();
  const ports = { ...original, ...replace(original) };
  const { all: log, hear, until } = makeHeard<LogLine>();
  const listener = makeApp({
    runtime,
    authenticate: makeAuthenticate(runtime.clock, { key: { _tag: 'Secret', secret: SECRET } }),
    corsOrigins: [],
    readiness: ready,
    docsPage,
    version: programVersion(),
    log: {
      info: (fields, message) => hear({ level: 'info', message, fields }),
      warn: (fields, message) => hear({ level: 'warn', message, fields }),
      error: (fields, message) => hear({ level: 'error', message, fields }),
    },
    ...given,
    callerRoutes: callerRoutes({ rateLimit: given.rateLimit, maxUploadBytes }),
    entityRoutes: [...(await routesOver(ports, { publicDocumentList, maxUploadBytes })), ...routes],
  });
  const onRefused = (fields: object): void => hear({ level: 'info', message: 'refused', fields });
  const served = await serve(listener, { host: '127.0.0.1', port: 0, runtime, limits, onRefused });
  const stop = async (): Promise<void> => {
    await served.stop(1000);
    await close();
  };
  const logged: MemoryStack['logged'] = async (isMeant) => (await until((lines) => lines.some(isMeant))).find(isMeant)!;
  return { baseUrl: served.address, tokenFor, stop, ports, log, logged };
};
