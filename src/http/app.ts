import cors from '@koa/cors';
import Koa from 'koa';
import { responseMiddleware, type ResponseMiddlewareDeps } from './response-middleware.js';
import type { Authenticate } from './authentication/authenticate.js';
import { makeProcessBudget, type ProcessBudget } from './budget/process-budget.js';
import type { RequestState } from './request-context.js';
import { errorFields } from './problem/log-fields.js';
import { type RoutesDeps, routesOf } from './routes.js';
import { makeRateLimit } from './routing/rate-limit.js';
import { makeRouter } from './routing/make-router.js';

export type AppOptions = RoutesDeps &
  Pick<ResponseMiddlewareDeps, 'log' | 'observe'> & {
    readonly authenticate: Authenticate;
    /** Origins whose pages may use the API; none: no CORS at all. */
    readonly corsOrigins: ReadonlyArray<string>;
    /** Requests a minute for each caller, and for each address without one; undefined: no limit. */
    readonly rateLimit?: number | undefined;
    /** Parts of the process budget; the default for what is left out. */
    readonly budget?: Partial<ProcessBudget>;
    /** Longest time, ms, in which a client has to read a response: a list holds a snapshot of the read model. */
    readonly responseTimeoutMs?: number;
  };

const RESPONSE_TIMEOUT_MS = 900_000;

const corsFor = (origins: ReadonlyArray<string>): Koa.Middleware<RequestState> =>
  cors({
    origin: (ctx) => {
      const origin = ctx.get('Origin');
      return origins.includes(origin) ? origin : '';
    },
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    exposeHeaders: ['ETag', 'Link', 'Location', 'X-Request-Id'],
    maxAge: 600,
  });

/** The HTTP surface of the service. Serve it with `serve`, which handles what never reaches Koa. */
export const makeApp = (options: AppOptions): Koa<RequestState> => {
  const {
    authenticate,
    corsOrigins,
    log,
    observe,
    rateLimit,
    budget,
    responseTimeoutMs = RESPONSE_TIMEOUT_MS,
  } = options;
  const app = new Koa<RequestState>();
  // Only broken connections reach this listener; everything else got a response and its line in the log.
  app.on('error', (error: unknown) => log.info({ error: errorFields(error) }, 'connection lost'));
  app.use(responseMiddleware({ log, observe, budget: { ...makeProcessBudget(), ...budget }, responseTimeoutMs }));
  if (corsOrigins.length > 0) app.use(corsFor(corsOrigins));
  const admission = { authenticate, rateLimit: rateLimit === undefined ? undefined : makeRateLimit(rateLimit) };
  app.use(makeRouter(routesOf(options), admission).routes());
  return app;
};
