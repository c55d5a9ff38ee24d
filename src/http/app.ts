import cors from '@koa/cors';
import Koa from 'koa';
import { answering, type AnsweringDeps } from './answering.js';
import type { Authenticate } from './authentication/authenticate.js';
import type { RequestState } from './exchange.js';
import { errorFields } from './problem/log-fields.js';
import { type RoutesDeps, routesOf } from './routes.js';
import { makeRateLimit } from './routing/rate-limit.js';
import { makeRouter } from './routing/make-router.js';

export type AppOptions = RoutesDeps &
  Pick<AnsweringDeps, 'log' | 'observe'> & {
    readonly authenticate: Authenticate;
    /** Origins whose pages may use the API; none: no CORS at all. */
    readonly corsOrigins: ReadonlyArray<string>;
    /** Requests a minute for each caller, and for each address without one; undefined: no limit. */
    readonly rateLimit?: number | undefined;
    readonly streams?: Partial<AnsweringDeps['streams']>;
  };

/** A slow link may have long, a stopped reader may not, ms. */
const STREAMS = { stall: 60_000, total: 900_000 };

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

/** The HTTP surface of the service. Serve it with `serve`, whose server knows the cases that never reach Koa. */
export const makeApp = (options: AppOptions): Koa<RequestState> => {
  const { authenticate, corsOrigins, log, observe, rateLimit, streams } = options;
  const app = new Koa<RequestState>();
  // What reaches this listener are broken connections; everything else has been answered and logged.
  app.on('error', (error: unknown) => log.info({ error: errorFields(error) }, 'connection lost'));
  app.use(answering({ log, observe, streams: { ...STREAMS, ...streams } }));
  if (corsOrigins.length > 0) app.use(corsFor(corsOrigins));
  const admission = { authenticate, rateLimit: rateLimit === undefined ? undefined : makeRateLimit(rateLimit) };
  app.use(makeRouter(routesOf(options), admission).routes());
  return app;
};
