import cors from '@koa/cors';
import Koa from 'koa';
import type { Authenticate } from './authentication/authenticate.js';
import { makeProcessBudget, type ProcessBudget } from './budget/process-budget.js';
import type { KoaContext, RequestState } from './request-context.js';
import { responseHeaders } from './openapi/response-headers.js';
import { makeRespond, type RespondDeps } from './respond.js';
import { type RoutesDeps, routesOf } from './routes.js';
import { makeRateLimit } from './routing/rate-limit.js';
import { makeRouting, type RouteRequest } from './routing/make-routing.js';
import type { Listener } from './serve.js';

export type AppOptions = RoutesDeps &
  Pick<RespondDeps, 'log' | 'observe'> & {
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

const withCors = (origins: ReadonlyArray<string>, route: RouteRequest): RouteRequest => {
  const allow: (ctx: KoaContext, next: () => Promise<unknown>) => unknown = cors({
    origin: (ctx) => {
      const origin = ctx.get('Origin');
      return origins.includes(origin) ? origin : '';
    },
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    exposeHeaders: Object.keys(responseHeaders),
    maxAge: 600,
  });
  return (ctx) => allow(ctx, () => Promise.resolve(route(ctx)));
};

/** The HTTP surface of the service. Serve it with `serve`, which handles what never reaches Koa. */
export const makeApp = (options: AppOptions): Listener => {
  const {
    authenticate,
    corsOrigins,
    log,
    observe,
    rateLimit,
    budget,
    responseTimeoutMs = RESPONSE_TIMEOUT_MS,
  } = options;
  const admission = { authenticate, rateLimit: rateLimit === undefined ? undefined : makeRateLimit(rateLimit) };
  const route = makeRouting(routesOf(options), admission);
  const respond = makeRespond(
    { log, observe, budget: { ...makeProcessBudget(), ...budget }, responseTimeoutMs },
    corsOrigins.length === 0 ? route : withCors(corsOrigins, route),
  );
  // Of Koa itself the contexts are used: its own way of responding listens four times to each response
  const koa = new Koa<RequestState>();
  return (request, response) => respond(koa.createContext(request, response));
};
