import cors from '@koa/cors';
import { either as E } from 'fp-ts';
import Koa from 'koa';
import type { Authenticate } from './authentication/authenticate.js';
import { makeProcessBudget, type ProcessBudget } from './budget/process-budget.js';
import { type HealthDeps, healthRoutes, ready } from './health/routes.js';
import type { KoaContext, RequestState } from './request-context.js';
import { responseHeaders } from './openapi/response-headers.js';
import { makeRespond, type RespondDeps } from './respond.js';
import { type RoutesDeps, routesOf } from './routes.js';
import { makeRateLimit } from './routing/rate-limit.js';
import { makeRouting, type RouteRequest } from './routing/make-routing.js';
import type { Listener } from './serve.js';

type Answering = Pick<RespondDeps, 'runtime' | 'log' | 'observe' | 'recordRead' | 'publicUrl'> & {
  /** Parts of the process budget; the default for what is left out. */
  readonly budget?: Partial<ProcessBudget>;
  /** Longest time, ms, in which a client has to read a response: a list holds a snapshot of the read model. */
  readonly responseTimeoutMs?: number;
};

export type AppOptions = RoutesDeps &
  Answering & {
    readonly authenticate: Authenticate;
    /** Origins whose pages may use the API; none: no CORS at all. */
    readonly corsOrigins: ReadonlyArray<string>;
    /** Requests a minute for each caller, and for each address without one; undefined: no limit. */
    readonly rateLimit?: number | undefined;
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

const respondBy = (
  route: RouteRequest,
  { budget, responseTimeoutMs = RESPONSE_TIMEOUT_MS, ...answering }: Answering,
): Listener => {
  const whole = { ...makeProcessBudget(answering.runtime.clock), ...budget };
  const respond = makeRespond({ ...answering, budget: whole, responseTimeoutMs }, route);
  // Of Koa itself the contexts are used: its own way of responding listens four times to each response
  const koa = new Koa<RequestState>();
  return (request, response) => respond(koa.createContext(request, response));
};

/** The HTTP surface of the service. Serve it with `serve`, which handles what never reaches Koa. */
export const makeApp = (options: AppOptions): Listener => {
  const { runtime, authenticate, corsOrigins, rateLimit: perMinute } = options;
  const rateLimit = perMinute === undefined ? undefined : makeRateLimit(runtime.clock, perMinute);
  const admission = { authenticate, rateLimit };
  const route = makeRouting(routesOf(options), admission);
  return respondBy(corsOrigins.length === 0 ? route : withCors(corsOrigins, route), options);
};

/** Its surface while it cannot start yet: it lives, and whatever it is asked for, it is not ready. */
export const makeStartingApp = ({ readiness, ...answering }: Answering & Pick<HealthDeps, 'readiness'>): Listener => {
  const admission = { authenticate: () => E.left({ _tag: 'Unauthenticated' } as const), rateLimit: undefined };
  const route = makeRouting(healthRoutes({ readiness }), admission);
  return respondBy(async (ctx) => {
    await route(ctx);
    ctx.state.handling ??= ready(readiness);
  }, answering);
};
